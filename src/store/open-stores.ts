import { randomUUID } from 'node:crypto';
import { existsSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../contract/ids.ts';
import type { Drafts, Mailbox, PromptHistory, StoreFailed, TranscriptStore } from '../contract/store.ts';
import type { TaskStore } from '../contract/task.ts';
import type { TeamStore } from '../contract/team.ts';
import { fileDrafts } from './draft.ts';
import { storeFailed } from './failure.ts';
import { fileHistory } from './history.ts';
import { fileMailbox } from './mailbox.ts';
import { memoryHistory, memoryMailbox, memoryTranscripts, noDrafts } from './memory.ts';
import { type Child, sessionBase } from './places.ts';
import { makePrivateDir } from './record.ts';
import { fileShelf } from './task-files.ts';
import { memoryShelf } from './task-memory.ts';
import { taskStore } from './tasks.ts';
import { fileTeamShelf, memoryTeamShelf } from './team-shelf.ts';
import { teamStore } from './teams.ts';
import { fileTranscripts } from './transcripts.ts';

export interface OpenStores {
  readonly transcripts: TranscriptStore;
  readonly mailbox: Mailbox;
  readonly tasks: TaskStore;
  readonly teams: TeamStore;
  readonly history: PromptHistory;
  readonly drafts: Drafts;
  /** Nothing is kept beyond this process. */
  readonly memoryOnly: boolean;
  /** The one sentence a person is told when nothing will be kept against their wish. */
  readonly warning?: string;
}

export interface StoresWanted {
  /** The user home of Coppice (`~/.coppice`); undefined when no home is known. */
  readonly home: string | undefined;
  /** A directory that must be there already (HOME): nothing is made in its place. */
  readonly within?: string;
  /** Boxes named by a bare session id lie in this project. */
  readonly project: string;
  /** Semver, written into every transcript line. */
  readonly version: string;
  /** Where a private temporary directory may be made for tool output when there is no home: the runtime or temp directory. */
  readonly scratch: string;
  /** The home that may not be looked into, in place of `home`. */
  readonly locked?: string;
  /** `--no-session-persistence`. */
  readonly persistence?: 'off';
  /** Hears of mail that could only be kept in memory. */
  readonly trouble?: (text: string) => void;
}

/** Files under the home; memory when the home cannot be written, with the reason, and never any other place on disk. */
export const openStores = async (wanted: StoresWanted): Promise<OpenStores> => {
  if (wanted.persistence === 'off') return inMemory(wanted);
  if (wanted.locked !== undefined)
    return {
      ...inMemory(wanted),
      warning: `The session will not be saved: ${wanted.locked} cannot be read (permission is denied), and nothing in it counts. Make it yours: chmod u+rwx, or chown.`,
    };
  if (wanted.home === undefined)
    return {
      ...inMemory(wanted),
      warning:
        'The session will not be saved: no home directory is set (HOME is empty). Set HOME or COPPICE_CONFIG_DIR.',
    };
  if (wanted.within !== undefined && !existsSync(wanted.within))
    return {
      ...inMemory(wanted),
      warning: `The session will not be saved: the home directory ${wanted.within} does not exist. Set HOME or COPPICE_CONFIG_DIR.`,
    };
  const failed = await unwritable(wanted.home);
  if (failed)
    return { ...inMemory(wanted), warning: `The session will not be saved: ${lowerFirst(failed.failed)}` };
  const { home, project, version } = wanted;
  const transcripts = remembering(fileTranscripts(home, version));
  const tasks = taskStore(fileShelf(home));
  return {
    transcripts,
    mailbox: fileMailbox(
      (box) => boxFile(home, project, transcripts.bases, box),
      wanted.trouble ?? (() => undefined),
    ),
    tasks,
    teams: teamStore(fileTeamShelf(home), tasks),
    history: fileHistory(home),
    drafts: fileDrafts(home),
    memoryOnly: false,
  };
};

/** Earlier sessions stay readable where the home only cannot be written. */
const inMemory = ({ home, version, scratch }: StoresWanted): OpenStores => {
  const memory = memoryTranscripts(scratch);
  const files = home === undefined ? undefined : fileTranscripts(home, version);
  const transcripts: TranscriptStore = {
    ...memory,
    load: async (path) =>
      path.startsWith('memory:') || !files ? await memory.load(path) : await files.load(path),
    latest: async (path) =>
      path.startsWith('memory:') || !files ? await memory.latest(path) : await files.latest(path),
    after: async (path, place) =>
      path.startsWith('memory:') || !files ? await memory.after(path, place) : await files.after(path, place),
    list: async (project) => [...(await memory.list(project)), ...((await files?.list(project)) ?? [])],
    find: async (idOrName, project) =>
      (await memory.find(idOrName, project)) ?? (await files?.find(idOrName, project)),
  };
  const tasks = taskStore(memoryShelf());
  return {
    transcripts,
    mailbox: memoryMailbox(),
    tasks,
    teams: teamStore(memoryTeamShelf(), tasks),
    history: memoryHistory(),
    drafts: noDrafts(),
    memoryOnly: true,
  };
};

const lowerFirst = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** Tries a file of its own: permission bits alone do not tell of read-only mounts and full disks. */
const unwritable = async (home: string): Promise<StoreFailed | undefined> => {
  const noDir = await makePrivateDir(home);
  if (noDir) return noDir;
  const probe = join(home, `.${randomUUID()}.tmp`);
  try {
    writeFileSync(probe, 'probe', { flag: 'wx', mode: 0o600 });
    unlinkSync(probe);
    return undefined;
  } catch (error) {
    return storeFailed('write to', home, error);
  }
};

/**
 * Remembers where sessions lie, so that a mailbox can be named by its session's id. A session that was opened stays in
 * its own project, whatever project is named later: it may have been resumed from another folder.
 */
const remembering = (
  store: TranscriptStore,
): TranscriptStore & { readonly bases: ReadonlyMap<string, string> } => {
  const bases = new Map<string, string>();
  const opened = new Map<SessionId, { readonly project: string; readonly child?: Child }>();
  /** Where a session lies: as it was opened, else as it is asked for. */
  const placeOf = (session: SessionId, project: string, given: Child | undefined) => {
    const child = given ?? opened.get(session)?.child;
    return { child, project: opened.get(child?.root ?? session)?.project ?? project };
  };
  const note = (session: SessionId, path: string): string => {
    bases.set(session, path.replace(/\.jsonl$/, ''));
    return path;
  };
  const locate: TranscriptStore['locate'] = (session, named, given) => {
    const { project, child } = placeOf(session, named, given);
    return note(session, store.locate(session, project, child));
  };
  return {
    ...store,
    bases,
    locate,
    children: (root, project) => store.children(root, placeOf(root, project, undefined).project),
    outputs: (session, project) => store.outputs(session, placeOf(session, project, undefined).project),
    open: async (session, project, child) => {
      if (!opened.has(session) || !child) opened.set(session, { project, ...(child ? { child } : {}) });
      locate(session, project, child);
      return await store.open(session, placeOf(session, project, child).project, child);
    },
  };
};

/** `teams/x/inboxes/y` is a path under the home; anything without a slash is a session's id. */
const boxFile = (home: string, project: string, bases: ReadonlyMap<string, string>, box: string): string => {
  if (box.includes('/'))
    return join(
      home,
      `${box
        .split('/')
        .filter((part) => part !== '' && part !== '.' && part !== '..')
        .join('/')}.jsonl`,
    );
  return join(bases.get(box) ?? sessionBase(home, box as SessionId, project), 'mailbox.jsonl');
};
