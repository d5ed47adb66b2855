import type { StoreFailed, TranscriptWriter } from '../contract/store.ts';
import type { Entry } from '../contract/transcript.ts';
import { isFailed, StoreFailure } from './failure.ts';
import { type LineFacts, lineOf } from './lines.ts';
import type { Lock } from './lock.ts';
import { type LogFile, openLog } from './log-file.ts';

/** After so many bytes the title is said again, so that readers of a file's tail know it. */
export const TITLE_EVERY = 64 * 1024;

interface WriterParts {
  readonly path: string;
  readonly lock: Lock;
  readonly facts: Pick<LineFacts, 'session' | 'agentId' | 'version'>;
}

/** Appends entries to one file while its lock is held; the file is made by the first. What the disk refuses waits in memory for the next append. */
export const transcriptWriter = ({ path, lock, facts }: WriterParts): TranscriptWriter => {
  let waiting: string[] = [];
  let title: string | undefined;
  let sinceTitle = 0;
  let open = true;
  let log: LogFile | undefined;

  const write = (): StoreFailed | undefined => {
    if (waiting.length === 0) return undefined;
    if (!lock.held())
      return {
        failed: `Could not save to ${path}: another process continued this session.`,
        code: 'LOST',
        path,
      };
    if (!log) {
      const opened = openLog(path, 'alone');
      if (isFailed(opened)) return opened;
      log = opened;
    }
    const text = waiting.join('');
    const failed = log.append(text);
    if (failed) return failed;
    waiting = [];
    sinceTitle += text.length;
    return undefined;
  };

  return {
    path,
    append: async (entry, at) => {
      if (!open)
        throw new StoreFailure({
          failed: `Could not save to ${path}: the session is closed.`,
          code: 'CLOSED',
          path,
        });
      waiting.push(`${lineOf(entry, { ...facts, ...at })}\n`);
      if (entry.type === 'title' || (entry.type === 'opened' && entry.title !== undefined)) {
        title = titleLine(entry, facts);
        sinceTitle = entry.type === 'title' ? 0 : TITLE_EVERY;
      }
      if (title !== undefined && sinceTitle + (waiting.at(-1)?.length ?? 0) > TITLE_EVERY) {
        waiting.push(title);
        sinceTitle = 0;
      }
      raise(write());
    },
    sync: async () => {
      raise(write());
      raise(await log?.sync());
    },
    close: async () => {
      if (!open) return;
      open = false;
      const failed = write() ?? (await log?.sync());
      log?.close();
      lock.release();
      raise(failed);
    },
  };
};

const raise = (failed: StoreFailed | undefined): void => {
  if (failed) throw new StoreFailure(failed);
};

const titleLine = (
  entry: Extract<Entry, { type: 'title' | 'opened' }>,
  facts: WriterParts['facts'],
): string => {
  const { uuid, parentUuid, timestamp } = entry;
  const made = entry.type === 'title' && !entry.byPerson;
  const said = made
    ? { type: 'summary', summary: entry.title, leafUuid: parentUuid ?? uuid }
    : { type: 'custom-title', customTitle: entry.title };
  return `${JSON.stringify({ ...said, sessionId: facts.session, uuid, parentUuid, timestamp, coppice: { again: true } })}\n`;
};
