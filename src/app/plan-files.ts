/** Plans are markdown files of ours: in `plans/` of the user home, or in `plansDirectory` inside the project. */

import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { SessionState } from '../contract/state.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { readRegularText } from '../lib/regular-file.ts';
import { isProjectLayer } from '../settings/narrowing.ts';
import { isPlanFolder } from '../settings/plan-folder.ts';
import { writeRecord } from '../store/record.ts';
import type { PlanFiles } from '../tools/exit-plan-mode.ts';
import type { World } from './world.ts';

const words = [
  'amber',
  'birch',
  'cedar',
  'dawn',
  'elder',
  'fern',
  'grove',
  'hazel',
  'iris',
  'juniper',
  'kelp',
  'linden',
  'maple',
  'nettle',
  'oak',
  'pine',
  'quince',
  'rowan',
  'sorrel',
  'thyme',
  'umber',
  'vetch',
  'willow',
  'yarrow',
] as const;

/** A readable name that is the same for the same session. */
const slugOf = (state: SessionState): string => {
  const bytes = createHash('sha256').update(state.id).digest();
  const word = (at: number) => words[(bytes[at] ?? 0) % words.length] ?? 'oak';
  return `${word(0)}-${word(1)}-${bytes.subarray(2, 5).toString('hex')}`;
};

export const planFiles = (world: World): PlanFiles => {
  const folder = (): string => {
    const { settings, sources } = world.loaded();
    const { plansDirectory: wished } = settings;
    // Looked at again: links may have come since the settings were read.
    if (
      wished &&
      (!isProjectLayer(sources.plansDirectory ?? { scope: 'project' }) || isPlanFolder(wished, world.project))
    )
      return resolve(world.project, wished);
    return join(world.homes.own ?? join(tmpdir(), `coppice-plans-${world.host.uid ?? 0}`), 'plans');
  };
  return {
    path: (state) => join(folder(), `${slugOf(state)}.md`),
    read: (path) => readRegularText(path).catch(() => undefined),
    async write(path, text) {
      await ensureFolder(dirname(path), 0o700);
      const failed = await writeRecord(path, text);
      if (failed) throw new Error(failed.failed);
    },
  };
};
