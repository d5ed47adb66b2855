/** Brings a rescue back as a worktree: files byte for byte, index, merge in progress, stashes. Never over existing files. */
import { chmod, readdir, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Refused, Restored } from '../contract/worktree.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import type { Git } from './git.ts';
import { linkedWith } from './linked.ts';
import { writeMemo } from './memo.ts';
import { readBlobs } from './objects.ts';
import { EXCLUDED, exclude, kindAt, makeFolder, worktreesFolder } from './place.ts';
import type { WorktreeDeps } from './ports.ts';
import { isRefused, refusing } from './refused.ts';
import { type Rooted, rootedAt } from './repository.ts';
import { RESCUES, type RescueRecord, readRescue } from './rescue-record.ts';

export const restoreRescue = (
  deps: WorktreeDeps,
  at: string,
  id: string,
  to?: string,
): Promise<Restored | Refused> =>
  refusing(async () => {
    const repository = await rootedAt(deps.program, at);
    if (isRefused(repository)) return repository;
    const record = await readRescue(repository.git, id);
    if (isRefused(record)) return record;
    if (!record.head) return { refused: `The rescue ${id} has no commit to begin from.` };
    const target =
      to === undefined
        ? await freePlace(repository.root, record.name)
        : isAbsolute(to)
          ? to
          : resolve(at, to);
    const there = await kindAt(target);
    if (there === 'link' || there === 'other' || (there === 'folder' && (await readdir(target)).length > 0))
      return {
        refused: `${target} exists already, and nothing is restored over existing files. Name another folder with --to.`,
      };
    if (to === undefined) {
      await makeFolder(repository.root);
      await exclude(repository.commonDir, [EXCLUDED]);
    }
    return bringBack(deps, repository, record, target);
  });

const freePlace = async (root: string, name: string): Promise<string> => {
  for (let count = 1; ; count++) {
    const path = join(
      worktreesFolder(root),
      count === 1 ? name : `${name}-restored${count === 2 ? '' : `-${count - 1}`}`,
    );
    if ((await kindAt(path)) === 'nothing') return path;
  }
};

const freeBranch = async (git: Git, wished: string): Promise<string> => {
  for (let count = 1; ; count++) {
    const branch = count === 1 ? wished : `${wished}-restored${count === 2 ? '' : `-${count - 1}`}`;
    if ((await git.run(['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])).code !== 0)
      return branch;
  }
};

const bringBack = async (
  deps: WorktreeDeps,
  { git, commonDir }: Rooted,
  record: RescueRecord,
  target: string,
): Promise<Restored> => {
  const branch = record.branch === null ? null : await freeBranch(git, record.branch);
  await git.verb(`${target} could not be made`, [
    'worktree',
    'add',
    '--quiet',
    ...(branch === null ? ['--detach'] : ['--no-track', '-b', branch]),
    target,
    record.head ?? 'HEAD',
  ]);
  const linked = await linkedWith(commonDir, target);
  const name = target.slice(target.lastIndexOf('/') + 1);
  if (linked)
    await writeMemo(linked.admin, {
      name,
      createdAt: deps.now().toISOString(),
      ...(record.base ? { base: record.base } : {}),
      ...(branch ? { branch } : {}),
      links: {},
      removing: false,
    });
  const own = git.in(target);
  if (record.index.length > 0)
    await own.text('The index could not be restored', ['update-index', '-z', '--index-info'], {
      input: record.index.map((line) => `${line}\0`).join(''),
    });
  await writeFiles(own, record, target);
  for (const path of record.folders) await ensureFolder(join(target, path));
  for (const path of record.gone) await rm(join(target, path), { force: true });
  if (linked) await writeState(own, record, linked.admin);
  await restoreStashes(git, record);
  await keepTips(git, record);
  // Files that were written again have other times: the index learns them, so that "git status" is quick and true.
  await own.run(['update-index', '-q', '--refresh']);
  return { path: target, branch, files: record.files.length };
};

const writeFiles = async (git: Git, record: RescueRecord, target: string): Promise<void> => {
  const { files } = record;
  let at = 0;
  await readBlobs(
    git,
    files.map(({ blob }) => blob),
    async (_, bytes) => {
      const file = files[at++];
      if (!file) return;
      const path = join(target, file.path);
      if (!`${path}/`.startsWith(`${target}/`)) return;
      await ensureFolder(dirname(path));
      await unlink(path).catch(() => undefined);
      if (file.mode === '120000') return symlink(bytes.toString('utf8'), path);
      await writeFile(path, bytes, { flag: 'wx' });
      await chmod(path, file.perm);
    },
  );
};

const REFLOG = 'logs/HEAD';

const writeState = async (git: Git, record: RescueRecord, admin: string): Promise<void> => {
  // The reflog leads to what was amended or reset away; a merge goes on where it was.
  const state = record.state.filter(({ path }) =>
    path === REFLOG ? true : record.operation !== null && !/^(logs|refs)\//.test(path),
  );
  let at = 0;
  await readBlobs(
    git,
    state.map(({ blob }) => blob),
    async (_, bytes) => {
      const one = state[at++];
      if (!one) return;
      await ensureFolder(dirname(join(admin, one.path)));
      const now =
        one.path === REFLOG
          ? await readFile(join(admin, REFLOG)).catch(() => Buffer.alloc(0))
          : Buffer.alloc(0);
      await writeFile(join(admin, one.path), Buffer.concat([bytes, now]));
    },
  );
};

/** Back into the shared list, oldest first, where they are not in it still. */
const restoreStashes = async (git: Git, record: RescueRecord): Promise<void> => {
  const listed = await git.run(['log', '-g', '--format=%H', 'refs/stash', '--']);
  const there = new Set(listed.stdout.toString('utf8').split('\n'));
  for (const { id, subject } of record.stashes.toReversed())
    if (!there.has(id))
      await git.verb('A stash could not be restored', ['stash', 'store', '--message', subject, id]);
};

/** Commits that the new branch does not reach get branches of their own. */
const keepTips = async (git: Git, record: RescueRecord): Promise<void> => {
  const own = record.commits[0]?.id;
  const tips = [
    ...(own && own !== record.head ? [own] : []),
    ...record.submodules.flatMap((one) => one.tips),
  ];
  for (const [at, tip] of tips.entries()) {
    const within = await git.run(['merge-base', '--is-ancestor', tip, record.head ?? 'HEAD']);
    if (within.code !== 0)
      await git.run(['update-ref', `refs/heads/rescued/${record.id}/${at + 1}`, tip, '']);
  }
};

/** A rescue as text: what it is, and a line per file. */
export const showRescue = (record: RescueRecord): string =>
  [
    `${record.id}: the worktree ${record.name}, saved ${record.createdAt} because ${record.why}`,
    `Branch ${record.branch ?? '(detached)'} at ${record.head ?? 'no commit'}; ref ${RESCUES}${record.id}`,
    ...(record.operation ? [`In the middle of a ${record.operation}.`] : []),
    ...record.files.map(({ path, mode }) => `  file    ${path}${mode === '120000' ? ' (link)' : ''}`),
    ...record.gone.map((path) => `  deleted ${path}`),
    ...record.commits.map(({ id, subject }) => `  commit  ${id.slice(0, 9)} ${subject}`),
    ...record.stashes.map(({ id, subject }) => `  stash   ${id.slice(0, 9)} ${subject}`),
    ...record.submodules.map(
      ({ path, tips }) => `  submodule ${path}: ${tips.map((tip) => tip.slice(0, 9)).join(', ')}`,
    ),
    `Bring it back with: coppice worktree rescue restore ${record.id}`,
  ].join('\n');
