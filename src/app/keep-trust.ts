/** What a person changes in a project's settings by our own commands does not make the folder a changed one. */

import { executableParts } from '../trust/parts.ts';
import type { Host } from './host.ts';
import { placeOf } from './sub/place.ts';
import { openTrust } from './trust-question.ts';

/** To be called before the change; what it answers, after it. */
export const keepTrust = async (host: Host): Promise<() => Promise<void>> => {
  const { homes, home, project } = await placeOf(host);
  const trust = openTrust(homes, home);
  const parts = () => executableParts(project);
  const before = await trust?.look(project, await parts());
  return async () => {
    if (before?.state === 'trusted' && before.record.path === project)
      await trust?.grant(project, await parts(), new Date());
  };
};
