import { type FSWatcher, statSync, watch } from 'node:fs';

/** Where the system's notices do not reach (network file systems). */
const POLL_MS = 3_000;

/** Tells of changes at once; where it cannot, the poll does, and finds a folder that did not exist yet. */
export const watchDir = (dir: string, tell: () => void): (() => void) => {
  let watcher: FSWatcher | undefined;
  const begin = (): void => {
    try {
      watcher = watch(dir, { persistent: false }, tell);
      watcher.on('error', end);
    } catch {
      watcher = undefined;
    }
  };
  const end = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const timeOf = (): string => {
    const about = statSync(dir, { throwIfNoEntry: false });
    return about ? `${about.ino} ${about.mtimeMs}` : '';
  };
  let seen = timeOf();
  begin();
  const poll = setInterval(() => {
    const now = timeOf();
    if (now === seen) return;
    if (now.split(' ')[0] !== seen.split(' ')[0]) {
      end();
      begin();
    }
    seen = now;
    tell();
  }, POLL_MS);
  poll.unref();
  return () => {
    clearInterval(poll);
    end();
  };
};
