import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as breath } from 'node:timers/promises';
import type { SessionId } from '../contract/ids.ts';
import type { ChildSummary, SessionSummary, TranscriptStore } from '../contract/store.ts';
import { summariseChild } from './child-summary.ts';
import { damageCopies } from './damage.ts';
import { errorCode, isFailed, StoreFailure, storeFailed } from './failure.ts';
import { entriesAfter, latestEntries, loadTranscript } from './load.ts';
import { tryLock } from './lock.ts';
import { type Child, projectDir, projectsDir, safeName, sessionBase } from './places.ts';
import { makePrivateDir } from './record.ts';
import { summarise } from './summary.ts';
import { transcriptWriter } from './writer.ts';

/** So many files are looked at before keys and timers get their turn. */
const AT_ONCE = 16;

/** Transcripts as files under `home` (ruling 13a). `version` is written into every line: semver. */
export const fileTranscripts = (home: string, version: string): TranscriptStore => {
  const base = (session: SessionId, project: string, child?: Child): string =>
    sessionBase(home, session, project, child);

  const list = async (project?: string): Promise<readonly SessionSummary[]> => {
    const dirs =
      project === undefined
        ? (await names(projectsDir(home))).map((name) => join(projectsDir(home), name))
        : [projectDir(home, project)];
    const paths = (
      await Promise.all(
        dirs.map(async (dir) =>
          (await names(dir)).filter((name) => name.endsWith('.jsonl')).map((name) => join(dir, name)),
        ),
      )
    ).flat();
    const found: SessionSummary[] = [];
    for (const [index, path] of paths.entries()) {
      if (index % AT_ONCE === AT_ONCE - 1) await breath();
      const summary = summaryOf(path);
      if (
        summary &&
        summary.bytes > 0 &&
        (project === undefined || summary.project === '' || summary.project === project)
      )
        found.push(summary);
    }
    return found.sort((a, b) =>
      a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : a.id < b.id ? -1 : 1,
    );
  };

  return {
    list,
    async children(root, project) {
      const dir = join(base(root, project), 'subagents');
      const found: ChildSummary[] = [];
      for (const [index, name] of (await names(dir)).entries()) {
        if (index % AT_ONCE === AT_ONCE - 1) await breath();
        const [, id] = /^agent-(.+)\.jsonl$/.exec(name) ?? [];
        if (id) found.push(...childOf(join(dir, name), id as SessionId));
      }
      return found.toSorted((a, b) => (a.opened.timestamp < b.opened.timestamp ? -1 : 1));
    },
    locate: (session, project, child) => `${base(session, project, child)}.jsonl`,
    load: (path) => loadTranscript(path),
    latest: (path) => latestEntries(path),
    after: (path, place) => entriesAfter(path, place),

    open: async (session, project, child) => {
      const stem = base(session, project, child);
      const path = `${stem}.jsonl`;
      const noDir = await makePrivateDir(dirname(path));
      if (noDir) return noDir;
      const lock = tryLock(`${stem}.lock`);
      if ('refused' in lock)
        return {
          ...lock,
          refused: `This session is open in process ${lock.pid} since ${lock.since}: ${lock.refused} Close it there, or continue in a fork.`,
        };
      if (isFailed(lock)) return lock;
      return transcriptWriter({
        path,
        lock,
        facts: { session: child?.root ?? session, version, ...(child ? { agentId: child.name } : {}) },
      });
    },

    find: async (idOrName, project) => {
      const byId = await withId(home, idOrName, project);
      if (byId !== undefined) return summaryOf(byId);
      const wanted = idOrName.trim().toLowerCase();
      const named = (all: readonly SessionSummary[]): SessionSummary | undefined =>
        all.find((each) => each.title.toLowerCase() === wanted);
      return named(await list(project));
    },

    outputs: async (session, project) => {
      const dir = join(base(session, project), 'outputs');
      const failed = await makePrivateDir(dir);
      if (failed) throw new StoreFailure(failed);
      return dir;
    },

    remove: async (session, project) => await removeSession(base(session, project)),
  };
};

/** A file that cannot be read hides nothing but itself. */
const summaryOf = (path: string): SessionSummary | undefined => {
  try {
    return summarise(path);
  } catch {
    return undefined;
  }
};

const childOf = (path: string, id: SessionId): readonly ChildSummary[] => {
  try {
    const summary = summariseChild(path, id);
    return summary ? [summary] : [];
  } catch {
    return [];
  }
};

/** Deletes everything of one session, unless a living process has it open. */
export const removeSession = async (stem: string): ReturnType<TranscriptStore['remove']> => {
  const lock = tryLock(`${stem}.lock`);
  if ('refused' in lock) return lock;
  if (isFailed(lock)) return lock.code === 'ENOENT' ? undefined : lock;
  try {
    for (const path of [`${stem}.jsonl`, stem, ...(await damageCopies(`${stem}.jsonl`))])
      await rm(path, { recursive: true, force: true });
    return undefined;
  } catch (error) {
    return storeFailed('delete', `${stem}.jsonl`, error);
  } finally {
    lock.release();
  }
};

/** The file of an id, or of the only id that begins so (8 characters or more): in the project first, then anywhere. */
const withId = async (home: string, id: string, project?: string): Promise<string | undefined> => {
  if (safeName(id) !== id) return undefined;
  const everywhere = (await names(projectsDir(home))).map((name) => join(projectsDir(home), name));
  const dirs = project === undefined ? everywhere : [projectDir(home, project), ...everywhere];
  for (const dir of dirs)
    if ((await stat(join(dir, `${id}.jsonl`)).catch(() => undefined))?.isFile())
      return join(dir, `${id}.jsonl`);
  if (id.length < 8 || !/^[0-9a-f-]+$/i.test(id)) return undefined;
  const begun = new Set<string>();
  for (const dir of dirs)
    for (const name of await names(dir))
      if (name.startsWith(id) && name.endsWith('.jsonl')) begun.add(join(dir, name));
  return begun.size === 1 ? begun.values().next().value : undefined;
};

const names = async (dir: string): Promise<readonly string[]> => {
  try {
    return await readdir(dir);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR' || errorCode(error) === 'EACCES')
      return [];
    throw error;
  }
};
