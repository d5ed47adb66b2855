/** Owns chokidar: files that are there or may come, debounced, with an upper bound on how many. */
import { watch as watchFiles } from 'chokidar';
import type { FileChange, Watcher } from '../contract/watch.ts';
import { errorText } from '../lib/error-text.ts';

/** How long a file must be quiet before it is told of; editors write in several steps. */
const QUIET_MS = 150;

export interface WatchOptions {
  readonly onChange: (change: FileChange) => void;
  /** A sentence when not everything can be watched. */
  readonly trouble: (text: string) => void;
  /** At most so many paths. */
  readonly most?: number;
}

export const createWatcher = ({ onChange, trouble, most = 500 }: WatchOptions): Watcher => {
  const quiet = new Map<string, NodeJS.Timeout>();
  let watched: ReadonlySet<string> = new Set();
  const watcher = watchFiles([], {
    ignoreInitial: true,
    persistent: false,
    depth: 0,
    followSymlinks: true,
    ignorePermissionErrors: true,
  });
  const tell = (event: FileChange['event']) => (path: string) => {
    clearTimeout(quiet.get(path));
    quiet.set(
      path,
      setTimeout(() => {
        quiet.delete(path);
        onChange({ path, event });
      }, QUIET_MS),
    );
  };
  watcher.on('add', tell('add')).on('change', tell('change')).on('unlink', tell('unlink'));
  watcher.on('error', (error) => trouble(`Watching files failed: ${errorText(error)}`));
  return {
    watch(paths) {
      const wanted = new Set(paths.slice(0, most));
      if (paths.length > most) trouble(`Only the first ${most} of ${paths.length} files are watched.`);
      const gone = [...watched].filter((path) => !wanted.has(path));
      const fresh = [...wanted].filter((path) => !watched.has(path));
      watched = wanted;
      if (gone.length > 0) watcher.unwatch(gone);
      if (fresh.length > 0) watcher.add(fresh);
    },
    async close() {
      for (const timer of quiet.values()) clearTimeout(timer);
      await watcher.close();
    },
  };
};
