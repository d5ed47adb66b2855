/** Agents of a conversation from the ends of their files: a session with hundreds of them resumes at once. */
import { closeSync, fstatSync } from 'node:fs';
import type { SessionId } from '../contract/ids.ts';
import type { ChildSummary } from '../contract/store.ts';
import type { Entry } from '../contract/transcript.ts';
import { openRegularSync } from '../lib/regular-file.ts';
import { entryOf } from './lines.ts';
import { part } from './summary.ts';

const HEAD = 16 * 1024;
const TAIL = 16 * 1024;

/** Undefined for a file that does not begin as an agent's; throws when it cannot be read. */
export const summariseChild = (path: string, id: SessionId): ChildSummary | undefined => {
  const { fd: file } = openRegularSync(path, Number.POSITIVE_INFINITY);
  try {
    const { size } = fstatSync(file);
    const opened = found(part(file, 0, Math.min(HEAD, size)), 'opened').at(0);
    if (opened === undefined) return undefined;
    const last = found(part(file, Math.max(0, size - TAIL), size), 'opened', 'ended').at(-1);
    return { id, opened, ...(last?.type === 'ended' ? { ended: last.status } : {}) };
  } finally {
    closeSync(file);
  }
};

const found = <T extends Entry['type']>(
  text: string,
  ...types: readonly T[]
): readonly Extract<Entry, { type: T }>[] =>
  text.split('\n').flatMap((line) => {
    if (!types.some((type) => line.startsWith(`{"type":"coppice-${type}"`))) return [];
    const entry = entryOf(line);
    return entry === undefined || entry === 'skip' ? [] : [entry as Extract<Entry, { type: T }>];
  });
