import type { SessionId } from '../../src/contract/ids.ts';
import type { TranscriptStore, TranscriptWriter } from '../../src/contract/store.ts';
import type { Entry } from '../../src/contract/transcript.ts';
import { answered, opened, said } from './entries.ts';

export const project = '/srv/my project';
export const facts = { cwd: project, branch: 'main' };

export const writer = async (store: TranscriptStore, session: SessionId): Promise<TranscriptWriter> => {
  const found = await store.open(session, project);
  if (!('append' in found)) throw new Error(JSON.stringify(found));
  return found;
};

/** Writes a whole session and answers the path of its file. */
export const record = async (
  store: TranscriptStore,
  session: SessionId,
  entries: readonly Entry[],
): Promise<string> => {
  const open = await writer(store, session);
  for (const each of entries) await open.append(each, facts);
  await open.close();
  return open.path;
};

export const turns = (count: number): readonly Entry[] => [
  opened(project),
  ...Array.from({ length: count }, (_, index) => [
    said(`question ${index} ä🪵`),
    answered(`answer ${index} ä🪵`, `msg_${index}`),
  ]).flat(),
];
