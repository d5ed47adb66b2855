import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { HistoryItem, PromptHistory } from '../contract/store.ts';
import { NO_WAIT } from '../lib/regular-file.ts';
import { isFailed } from './failure.ts';
import { type LogFile, openLog } from './log-file.ts';

const PIECE = 64 * 1024;
/** Reading backwards stops here: who wants older prompts searches the transcripts. */
const MAX_READ = 32 * 1024 * 1024;

const item = z.looseObject({
  display: z.string(),
  timestamp: z.number(),
  project: z.string(),
  sessionId: z.string(),
});

/** Prompts of all sessions in one file, one line each, appended by any number of processes. */
export const fileHistory = (home: string): PromptHistory => {
  const path = join(home, 'history.jsonl');
  let file: LogFile | undefined;
  let last: string | undefined;
  return {
    add: async (text, { project, session }) => {
      if (text.trim() === '' || text === last) return;
      last = text;
      if (!file) {
        const opened = openLog(path, 'shared');
        if (isFailed(opened)) return;
        file = opened;
      }
      file.append(
        `${JSON.stringify({ display: text, timestamp: Date.now(), project, sessionId: session })}\n`,
      );
    },
    recent: async ({ project, limit }) => {
      const found: HistoryItem[] = [];
      const seen = new Set<string>();
      for await (const line of linesFromEnd(path)) {
        const read = parsed(line);
        if (read === undefined || seen.has(read.text) || (project !== undefined && read.project !== project))
          continue;
        seen.add(read.text);
        found.push(read);
        if (found.length >= limit) break;
      }
      return found;
    },
  };
};

const parsed = (line: string): HistoryItem | undefined => {
  try {
    const { display, timestamp, project, sessionId } = item.parse(JSON.parse(line));
    return { text: display, project, session: sessionId, at: timestamp };
  } catch {
    return undefined;
  }
};

/** The lines of a file, last first, read in pieces from its end. A missing file has none. */
async function* linesFromEnd(path: string): AsyncGenerator<string> {
  const file = await open(path, NO_WAIT).catch(() => undefined);
  if (!file) return;
  try {
    const facts = await file.stat();
    const size = facts.isFile() ? facts.size : 0;
    let rest: Buffer = Buffer.alloc(0);
    for (let end = size; end > 0 && size - end < MAX_READ; ) {
      const start = Math.max(0, end - PIECE);
      const bytes = Buffer.alloc(end - start);
      await file.read(bytes, 0, bytes.length, start);
      const piece = Buffer.concat([bytes, rest]);
      const first = start === 0 ? -1 : piece.indexOf(10);
      if (first === -1 && start > 0) rest = piece;
      else {
        yield* piece
          .toString('utf8', first + 1)
          .split('\n')
          .reverse();
        rest = piece.subarray(0, Math.max(0, first));
      }
      end = start;
    }
  } finally {
    await file.close();
  }
}
