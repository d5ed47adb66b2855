/** The second implementation of the stores: for a home that cannot be written, for `--no-session-persistence`, and to keep the seam honest. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../contract/ids.ts';
import { textOf } from '../contract/message.ts';
import type {
  Drafts,
  HistoryItem,
  Mail,
  Mailbox,
  PromptHistory,
  SessionSummary,
  TranscriptStore,
} from '../contract/store.ts';
import type { Entry } from '../contract/transcript.ts';
import { shortTitle } from '../lib/short-title.ts';
import { age } from './lock.ts';
import { type Child, sessionBase } from './places.ts';

interface Kept {
  readonly session: SessionId;
  readonly project: string;
  readonly child: boolean;
  readonly entries: Entry[];
  branch?: string;
  openSince?: string;
}

/** Sessions live as long as the process. Output files of tools go to a private directory under `scratch`. */
export const memoryTranscripts = (scratch: string): TranscriptStore => {
  const sessions = new Map<string, Kept>();
  const outputDirs = new Map<string, string>();
  const pathOf = (session: SessionId, project: string, child?: Child): string =>
    `${sessionBase('memory:', session, project, child)}.jsonl`;
  const list = async (project?: string): Promise<readonly SessionSummary[]> =>
    [...sessions]
      .filter(
        ([, kept]) =>
          !kept.child && kept.entries.length > 0 && (project === undefined || kept.project === project),
      )
      .map(([path, kept]) => summaryOf(path, kept))
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  return {
    list,
    children: async (root) =>
      [...sessions.values()].flatMap(({ session, entries }) => {
        const opened = entries.find((entry) => entry.type === 'opened');
        if (opened?.root !== root || opened.parent === undefined) return [];
        const last = entries.findLast((entry) => entry.type === 'opened' || entry.type === 'ended');
        return [{ id: session, opened, ...(last?.type === 'ended' ? { ended: last.status } : {}) }];
      }),
    locate: pathOf,
    latest: async (path) => (sessions.get(path)?.entries ?? []).slice(-100),
    after: async (path, place) => {
      const entries = (sessions.get(path)?.entries ?? []).slice(place);
      return { entries, place: place + entries.length };
    },
    load: async (path) => ({ entries: [...(sessions.get(path)?.entries ?? [])], repairs: [] }),
    open: async (session, project, child) => {
      const path = pathOf(session, project, child);
      const kept: Kept = sessions.get(path) ?? { session, project, child: child !== undefined, entries: [] };
      if (kept.openSince !== undefined)
        return {
          refused: `This session is open in process ${process.pid} since ${kept.openSince} (${age(kept.openSince)}).`,
          pid: process.pid,
          since: kept.openSince,
        };
      kept.openSince = new Date().toISOString();
      sessions.set(path, kept);
      return {
        path,
        append: async (entry, at) => {
          kept.entries.push(structuredClone(entry));
          kept.branch = at.branch;
        },
        sync: async () => undefined,
        close: async () => {
          kept.openSince = undefined;
        },
      };
    },
    find: async (idOrName, project) => {
      const all = await list();
      const wanted = idOrName.trim().toLowerCase();
      return (
        all.find((each) => each.id === idOrName) ??
        all.find(
          (each) =>
            each.title.toLowerCase() === wanted && (project === undefined || each.project === project),
        )
      );
    },
    outputs: async (session) => {
      const dir = outputDirs.get(session) ?? mkdtempSync(join(scratch, 'coppice-'));
      outputDirs.set(session, dir);
      return dir;
    },
    remove: async (session, project) => {
      const path = pathOf(session, project);
      const since = sessions.get(path)?.openSince;
      if (since !== undefined)
        return {
          refused: `This session is open in process ${process.pid} since ${since} (${age(since)}).`,
          pid: process.pid,
          since,
        };
      sessions.delete(path);
      return undefined;
    },
  };
};

const summaryOf = (path: string, kept: Kept): SessionSummary => {
  const opened = kept.entries.find((entry) => entry.type === 'opened');
  const titles = kept.entries.filter((entry) => entry.type === 'title');
  const prompt = kept.entries.find(
    (entry) => entry.type === 'user' && entry.origin.kind === 'person' && entry.meta !== true,
  );
  const firstPrompt = prompt?.type === 'user' ? (prompt.display ?? textOf(prompt.content)) : '';
  const title = (titles.findLast((entry) => entry.byPerson) ?? titles.at(-1))?.title ?? opened?.title;
  return {
    id: kept.session,
    path,
    project: kept.project,
    cwd: opened?.cwd ?? '',
    ...(kept.branch ? { branch: kept.branch } : {}),
    title: (title ?? shortTitle(firstPrompt) ?? '').slice(0, 200),
    firstPrompt,
    startedAt: kept.entries[0]?.timestamp ?? '',
    updatedAt: kept.entries.at(-1)?.timestamp ?? '',
    messages: kept.entries.filter((entry) => entry.type === 'user' || entry.type === 'assistant').length,
    bytes: JSON.stringify(kept.entries).length,
    headless: opened?.headless === true,
  };
};

export const memoryMailbox = (): Mailbox => {
  const boxes = new Map<string, Mail[]>();
  const waiting = new Map<string, Set<() => void>>();
  const boxOf = (box: string): Mail[] => boxes.get(box) ?? boxes.set(box, []).get(box) ?? [];
  const unread = (box: string, after: number): readonly Mail[] =>
    boxOf(box).filter((mail) => mail.place > after && !mail.withdrawn);
  return {
    send: async (box, mail) => {
      const place = boxOf(box).length + 1;
      boxOf(box).push({ ...structuredClone(mail), place, at: new Date().toISOString() });
      for (const done of [...(waiting.get(box) ?? [])]) done();
      return place;
    },
    read: async (box, after) => unread(box, after),
    withdraw: async (box, after) => {
      const taken = unread(box, after).filter((mail) => mail.origin.kind === 'person');
      const ids = new Set(taken.map((mail) => mail.place));
      boxes.set(
        box,
        boxOf(box).map((mail) => (ids.has(mail.place) ? { ...mail, withdrawn: true } : mail)),
      );
      return taken.map((mail) => ({ ...mail, withdrawn: true }));
    },
    wait: (box, after, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || unread(box, after).length > 0) return resolve();
        const set = waiting.get(box) ?? new Set();
        waiting.set(box, set);
        const done = (): void => {
          set.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        set.add(done);
        signal.addEventListener('abort', done);
      }),
  };
};

export const memoryHistory = (): PromptHistory => {
  const items: HistoryItem[] = [];
  return {
    add: async (text, at) => {
      if (text.trim() !== '' && items.at(-1)?.text !== text) items.push({ text, ...at, at: Date.now() });
    },
    recent: async ({ project, limit }) =>
      items
        .filter((item) => project === undefined || item.project === project)
        .reverse()
        .slice(0, limit),
  };
};

export const noDrafts = (): Drafts => ({ save: () => undefined, recover: async () => [] });
