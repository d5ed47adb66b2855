/** Saves what a worktree holds to a ref of ours, byte for byte, before anything is removed. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Rescue } from '../contract/worktree.ts';
import { ownCommits } from './commits.ts';
import { filesOf } from './examine.ts';
import type { Git } from './git.ts';
import type { Linked } from './linked.ts';
import { durable, saveFiles, saveText, settle, treeOf } from './objects.ts';
import type { WorktreeDeps } from './ports.ts';
import { RECORD, RESCUES, type RescueRecord, summaryOf } from './rescue-record.ts';
import { saveSubmodules } from './rescue-submodules.ts';
import { GitFailed } from './run.ts';
import { type Looked, look } from './survey.ts';
import { stagedEntries, stateOf } from './unfinished.ts';

/** Saves all there is; undefined when there is nothing that would be lost. */
export const saveRescue = async (
  deps: WorktreeDeps,
  linked: Linked,
  why: string,
): Promise<Rescue | undefined> => {
  const looked = await look(deps, linked);
  const record = await gather(deps, looked, why);
  return record && (await write(looked, record));
};

/** The same for a worktree that was looked at already. */
export const saveLooked = async (
  deps: WorktreeDeps,
  looked: Looked,
  why: string,
): Promise<Rescue | undefined> => {
  const record = await gather(deps, looked, why);
  return record && (await write(looked, record));
};

interface Gathered {
  readonly record: RescueRecord;
  /** Blobs of the index that no commit holds. */
  readonly staged: readonly string[];
  readonly parents: readonly string[];
}

const gather = async (deps: WorktreeDeps, looked: Looked, why: string): Promise<Gathered | undefined> => {
  const { survey, linked, git, found, commonDir } = looked;
  if (survey.unclear)
    throw new GitFailed(`Not everything in ${linked.path} can be saved: ${survey.unclear}.`, 1);
  const head = await headOf(git, linked);
  const files = found ? await saveFiles(git.in(commonDir), linked.path, filesOf(found)) : [];
  const index = head === undefined ? [] : await stagedEntries(git.in(commonDir), linked, head);
  const stateFiles = await stateOf(linked);
  const loose = await looseCommits(git.in(commonDir), looked, stateFiles);
  const commits = await ownCommits(git.in(commonDir), looked.tips);
  const submodules = found ? await saveSubmodules(git.in(commonDir), found) : [];
  const nothing =
    files.length +
      index.length +
      commits.length +
      loose.length +
      looked.stashes.length +
      submodules.length ===
      0 &&
    (found?.status.gone.length ?? 0) === 0 &&
    survey.operation === undefined;
  if (nothing) return undefined;
  const state = await Promise.all(
    stateFiles.map(async ({ path, bytes }) => ({ path, blob: await saveText(git.in(commonDir), bytes) })),
  );
  const at = deps.now();
  const record: RescueRecord = {
    version: 1,
    id: `${survey.worktree.name.slice(0, 80)}-${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}-${randomBytes(2).toString('hex')}`,
    name: survey.worktree.name,
    path: linked.path,
    why,
    branch: linked.branch ?? null,
    createdAt: at.toISOString(),
    head: head ?? null,
    base: looked.memo?.base ?? null,
    files: [...files],
    folders: [...(found?.folders ?? [])],
    gone: [...(found?.status.gone ?? [])],
    index: index.map(({ line }) => line),
    state,
    commits: [...commits],
    stashes: [...looked.stashes],
    submodules: [...submodules],
    operation: survey.operation ?? null,
  };
  return {
    record,
    staged: index.flatMap(({ blob }) => blob ?? []),
    parents: [
      ...(head ? [head] : []),
      ...looked.tips.tips,
      ...looked.stashes.map(({ id }) => id),
      ...loose,
      ...submodules.flatMap(({ tips }) => tips),
    ],
  };
};

const headOf = async (git: Git, linked: Linked): Promise<string | undefined> => {
  const done = await git.run([
    'rev-parse',
    '--verify',
    '--quiet',
    `${linked.branch ? `refs/heads/${linked.branch}` : (linked.detached ?? 'HEAD')}^{commit}`,
  ]);
  return done.code === 0 ? done.stdout.toString('utf8').trim() : undefined;
};

/** Commits that only the state of a merge or the reflog names (amended, reset away). */
const looseCommits = async (
  git: Git,
  { tips }: Looked,
  state: readonly { readonly bytes: Buffer }[],
): Promise<readonly string[]> => {
  const named = new Set(
    state.flatMap(({ bytes }) => bytes.toString('latin1').match(/\b([0-9a-f]{40}|[0-9a-f]{64})\b/g) ?? []),
  );
  if (named.size === 0) return [];
  const checked = await git.text(
    'The reflog could not be read',
    ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
    { input: `${[...named].join('\n')}\n` },
  );
  const commits = checked
    .split('\n')
    .flatMap((line) => (line.endsWith(' commit') ? [line.slice(0, line.indexOf(' '))] : []));
  if (commits.length === 0) return [];
  const known = [...tips.tips, ...tips.elsewhere].map((id) => `^${id}`);
  const own = await git.text('The reflog could not be read', ['rev-list', '--stdin'], {
    input: `${[...commits, ...known].join('\n')}\n`,
  });
  const lost = new Set(own.split('\n'));
  return commits.filter((id) => lost.has(id));
};

const SIGNED = {
  GIT_AUTHOR_NAME: 'Coppice',
  GIT_AUTHOR_EMAIL: 'coppice@localhost',
  GIT_COMMITTER_NAME: 'Coppice',
  GIT_COMMITTER_EMAIL: 'coppice@localhost',
} as const;

const write = async (looked: Looked, { record, staged, parents }: Gathered): Promise<Rescue> => {
  const git = looked.git.in(looked.commonDir);
  const index = join(looked.commonDir, 'coppice', `${record.id}.index`);
  try {
    const tree = await treeOf(git, index, [
      { path: RECORD, mode: '100644', blob: await saveText(git, JSON.stringify(record, undefined, 1)) },
      ...record.files.map(({ path, mode, blob }) => ({ path: `files/${path}`, mode, blob })),
      ...[...new Set(staged)].map((blob) => ({ path: `staged/${blob}`, mode: '100644', blob })),
      ...record.state.map(({ path, blob }) => ({ path: `state/${path}`, mode: '100644', blob })),
    ]);
    const message = `Work of the worktree ${record.name}\n\nSaved by Coppice: ${record.why}. Bring it back with: coppice worktree rescue restore ${record.id}`;
    const commit = (
      await git.text(
        'The rescue could not be written',
        ['commit-tree', tree, ...[...new Set(parents)].flatMap((id) => ['-p', id]), '-m', message],
        { env: SIGNED },
      )
    ).trim();
    await settle(git, looked.commonDir, commit, parents);
    await git.text('The rescue could not be written', [
      ...durable,
      'update-ref',
      RESCUES + record.id,
      commit,
      '',
    ]);
    return summaryOf(record);
  } finally {
    await rm(index, { force: true });
  }
};
