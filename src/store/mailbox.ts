import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Mail, Mailbox, StoreFailed } from '../contract/store.ts';
import { ensureFolderSync } from '../lib/ensure-folder.ts';
import { errorCode, isFailed, StoreFailure, storeFailed } from './failure.ts';
import { linked } from './folder.ts';
import { type LogFile, openLog } from './log-file.ts';
import { type MailLog, mailLine, mailLog, withdrawalLine } from './mail-log.ts';

/** How often a waiting reader looks itself, where the system's notices do not reach (network file systems). */
const POLL_MS = 3_000;
/** A reader that waits only for a moment needs no watch. */
const WATCH_AFTER_MS = 150;

interface Box {
  readonly path: string;
  /** An inbox or the desk in a team's folder. */
  readonly ofTeam: boolean;
  readonly log: MailLog;
  readonly waiting: Set<() => void>;
  /** What each waiting reader does when something may have come. */
  readonly looking: Set<() => void>;
  /** Kept from one wait to the next: to end a watch takes the system longer than a whole turn. */
  watched?: Watched;
  /** Mail the disk refused: places between the last line's and the next. */
  kept: Mail[];
  /** Somebody in this process reads it. */
  read: boolean;
  /** The place that its readers have passed. */
  passed: number;
  /** The last place given to a letter that the disk refused. */
  lastKept: number;
  file?: LogFile;
}

export interface FileMailbox extends Mailbox {
  close(): void;
}

/**
 * Append-only files, one line a letter, written in one call by any process. A place is the number of a line.
 * `fileOf` says where a box lies; `trouble` hears, once each, what could not be read or only be kept in memory.
 */
export const fileMailbox = (
  fileOf: (box: string) => string,
  trouble: (text: string) => void,
): FileMailbox => {
  const boxes = new Map<string, Box>();
  const told = new Set<string>();
  const boxOf = (name: string): Box => {
    const path = fileOf(name);
    const known = boxes.get(path);
    if (known) return known;
    const box: Box = {
      path,
      ofTeam: name.startsWith('teams/'),
      log: mailLog(path),
      waiting: new Set(),
      looking: new Set(),
      kept: [],
      read: false,
      passed: 0,
      lastKept: 0,
    };
    boxes.set(path, box);
    return box;
  };

  const unread = (box: Box, after: number): readonly Mail[] => {
    box.passed = Math.max(box.passed, after);
    try {
      const mails = box.log.after(after);
      for (const line of box.log.damaged())
        say(`Line ${line} of ${box.path} is not a readable letter and was left out; the others count.`);
      return box.kept.length === 0
        ? mails
        : [...mails, ...box.kept.filter((mail) => mail.place > after)].sort((a, b) => a.place - b.place);
    } catch (error) {
      tell(storeFailed('read mail in', box.path, error));
      return box.kept.filter((mail) => mail.place > after);
    }
  };

  const say = (text: string): void => {
    if (told.has(text)) return;
    told.add(text);
    trouble(text);
  };
  const tell = ({ failed }: StoreFailed): void => say(failed);

  const write = (box: Box, text: string): StoreFailed | undefined => {
    // A team that was deleted and made again has the same boxes, in other files.
    if (box.file?.isGone()) {
      box.file.close();
      box.file = undefined;
    }
    if (!box.file) {
      const homeless = ensureFolder(box);
      if (homeless) return homeless;
      const file = openLog(box.path, 'shared');
      if (isFailed(file)) return file;
      box.file = file;
    }
    return box.file.append(text);
  };

  /** It is in the file; where, can be found out later too. */
  const placeIn = (box: Box, id: string): number => {
    try {
      return box.log.placeOf(id) ?? box.log.last();
    } catch (error) {
      tell(storeFailed('read mail in', box.path, error));
      return keptPlace(box);
    }
  };

  const wake = (box: Box): void => {
    for (const done of [...box.waiting]) done();
  };

  /** Something may have come into a box, or its folder into being. */
  const notice = (box: Box): void => {
    if (box.watched?.dir !== dirname(box.path)) {
      box.watched?.watcher.close();
      box.watched = watchNear(box.path, () => notice(box));
    }
    for (const look of [...box.looking]) look();
  };

  return {
    send: async (name, mail) => {
      const box = boxOf(name);
      const at = new Date().toISOString();
      const failed = write(box, mailLine({ ...mail, at }));
      if (failed && !box.read)
        throw new StoreFailure({ ...failed, failed: `Nothing was sent. ${failed.failed}` });
      if (failed) {
        tell(failed);
        const place = keptPlace(box);
        box.kept.push({ ...mail, at, place });
        wake(box);
        return place;
      }
      wake(box);
      return placeIn(box, mail.id);
    },

    read: async (name, after) => {
      const box = boxOf(name);
      box.read = true;
      return unread(box, after);
    },

    withdraw: async (name, after) => {
      const box = boxOf(name);
      const taken = unread(box, after).filter((mail) => mail.origin.kind === 'person');
      if (taken.length === 0) return [];
      const kept = new Set(box.kept);
      const stored = taken.filter((mail) => !kept.has(mail));
      const failed =
        stored.length === 0 ? undefined : write(box, withdrawalLine(stored.map((mail) => mail.id)));
      if (failed) tell(failed);
      box.kept = box.kept.filter((mail) => !taken.includes(mail));
      return taken.filter((mail) => !failed || kept.has(mail)).map((mail) => ({ ...mail, withdrawn: true }));
    },

    wait: async (name, after, signal) => {
      const box = boxOf(name);
      box.read = true;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          box.waiting.delete(done);
          box.looking.delete(look);
          signal.removeEventListener('abort', done);
          clearTimeout(soon);
          clearInterval(poll);
          resolve();
        };
        const look = (): void => {
          if (unread(box, after).length > 0) done();
        };
        const poll = setInterval(() => notice(box), POLL_MS);
        const soon = setTimeout(() => notice(box), box.watched ? 0 : WATCH_AFTER_MS);
        box.waiting.add(done);
        box.looking.add(look);
        signal.addEventListener('abort', done);
        if (signal.aborted) done();
        else look();
      });
    },

    close: () => {
      for (const box of boxes.values()) {
        wake(box);
        box.watched?.watcher.close();
        box.file?.close();
      }
      boxes.clear();
    },
  };
};

/** A team's boxes lie in its own folder, which nobody makes for them: where that is gone, so are they. */
const ensureFolder = ({ path, ofTeam }: Box): StoreFailed | undefined => {
  const dir = dirname(path);
  const link = ofTeam ? (linked(dirname(dir)) ?? linked(dir)) : undefined;
  if (link) return link;
  try {
    if (!ofTeam) ensureFolderSync(dir, 0o700);
    else if (basename(dir) === 'inboxes') mkdirSync(dir, { mode: 0o700 });
    return undefined;
  } catch (error) {
    return errorCode(error) === 'EEXIST' ? undefined : storeFailed('make the directory', dir, error);
  }
};

/** Between the last line's place and the next one's, in the order of sending; never before what was read or kept. */
const keptPlace = (box: Box): number => {
  let last = Math.max(box.passed, box.lastKept);
  try {
    last = Math.max(last, box.log.last());
  } catch {
    // Not readable either: memory is all there is.
  }
  box.lastKept = last + 1 / 4096;
  return box.lastKept;
};

interface Watched {
  readonly dir: string;
  readonly watcher: FSWatcher;
}

/** Tells of changes in the folder of a box at once, or of its coming into being; where it cannot, the poll does. */
const watchNear = (path: string, look: () => void): Watched | undefined => {
  for (let dir = dirname(path); dir !== dirname(dir); dir = dirname(dir)) {
    try {
      const watcher = watch(dir, look);
      watcher.on('error', () => watcher.close());
      // Who waits holds the program by the poll.
      watcher.unref();
      return { dir, watcher };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') return undefined;
    }
  }
  return undefined;
};
