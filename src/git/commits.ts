/** Commits and stashes of a worktree that nothing else holds. */
import { join } from 'node:path';
import { isThere } from '../lib/is-there.ts';
import { readRegularText } from '../lib/regular-file.ts';
import type { Git } from './git.ts';
import { type Linked, linkedWorktrees } from './linked.ts';

export interface Subject {
  readonly id: string;
  readonly subject: string;
}

/** Refs that keep commits alive whatever becomes of this worktree. */
const elsewhere = async (
  git: Git,
  commonDir: string,
  linked: Linked | undefined,
  ownBranch: string | undefined,
): Promise<readonly string[]> => {
  const refs = (
    await git.text('The branches could not be read', ['for-each-ref', '--format=%(objectname) %(refname)'])
  )
    .split('\n')
    .flatMap((line) => {
      const [id, ref = ''] = line.split(' ');
      const apart = ref === `refs/heads/${ownBranch}` || /^refs\/(coppice\/|stash$)/.test(ref);
      return id && !apart ? [id] : [];
    });
  const others = (await linkedWorktrees(commonDir))
    .filter(({ admin }) => admin !== linked?.admin)
    .flatMap(({ detached }) => detached ?? []);
  const main = (await readRegularText(join(commonDir, 'HEAD')).catch(() => '')).trim();
  return [...new Set([...refs, ...others, ...(/^[0-9a-f]{40,64}$/.test(main) ? [main] : [])])];
};

export interface Tips {
  /** HEAD, and the branch made for this worktree. */
  readonly tips: readonly string[];
  readonly elsewhere: readonly string[];
}

export const tipsOf = async (
  git: Git,
  commonDir: string,
  linked: Linked,
  ownBranch: string | undefined,
): Promise<Tips> => {
  const ids = await Promise.all(
    [
      ...(linked.detached ? [linked.detached] : []),
      ...(linked.branch ? [`refs/heads/${linked.branch}`] : []),
      ...(ownBranch ? [`refs/heads/${ownBranch}`] : []),
    ].map(async (name) => {
      const done = await git.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
      return done.code === 0 ? done.stdout.toString('utf8').trim() : '';
    }),
  );
  return {
    tips: [...new Set(ids.filter((id) => id !== ''))],
    elsewhere: await elsewhere(git, commonDir, linked, ownBranch),
  };
};

/** Commits that are reached from the tips and from nowhere else, newest first. */
export const ownCommits = async (git: Git, { tips, elsewhere: known }: Tips): Promise<readonly Subject[]> => {
  if (tips.length === 0) return [];
  const text = await git.text(
    'The commits of the worktree could not be listed',
    ['log', '-z', '--format=%H %s', '--stdin', '--'],
    {
      input: `${[...tips, ...known.map((id) => `^${id}`)].join('\n')}\n`,
    },
  );
  return text
    .split('\0')
    .flatMap((line) =>
      line === ''
        ? []
        : [{ id: line.slice(0, line.indexOf(' ')), subject: line.slice(line.indexOf(' ') + 1) }],
    );
};

/** Deletes a branch that no worktree has checked out and whose commits are all elsewhere too. */
export const dropIdleBranch = async (git: Git, commonDir: string, branch: string): Promise<void> => {
  const ref = `refs/heads/${branch}`;
  const done = await git.run(['rev-parse', '--verify', '--quiet', ref]);
  const tip = done.stdout.toString('utf8').trim();
  const main = await readRegularText(join(commonDir, 'HEAD')).catch(() => '');
  const taken = (await linkedWorktrees(commonDir)).some((one) => one.branch === branch);
  if (done.code !== 0 || taken || main.trim() === `ref: ${ref}`) return;
  const known = await elsewhere(git, commonDir, undefined, branch);
  if ((await ownCommits(git, { tips: [tip], elsewhere: known })).length === 0)
    await git.run(['update-ref', '-d', ref, tip]);
};

/** Entries of the stash that were made in this worktree. The stash is shared: the message names the branch. */
export const ownStashes = async (
  git: Git,
  branches: readonly string[],
  commits: ReadonlySet<string>,
): Promise<readonly Subject[]> => {
  const done = await git.run(['log', '-g', '-z', '--format=%H %P%x09%gs', 'refs/stash', '--']);
  if (done.code !== 0) return [];
  return done.stdout
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const [ids = '', subject = ''] = [
        line.slice(0, line.indexOf('\t')),
        line.slice(line.indexOf('\t') + 1),
      ];
      const [id, parent = ''] = ids.split(' ');
      const mine = branches.some((branch) =>
        new RegExp(`^(WIP on|On) ${branch.replace(/[.\\+*?^$()[\]{}|]/g, '\\$&')}: `).test(subject),
      );
      const detached = /^(WIP on|On) \(no branch\): /.test(subject) && commits.has(parent);
      return id && (mine || detached) ? [{ id, subject }] : [];
    });
};

const OPERATIONS: readonly (readonly [file: string, name: string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
  ['sequencer', 'series of picks'],
];

export const operationIn = async ({ admin }: Linked): Promise<string | undefined> => {
  for (const [file, name] of OPERATIONS) if (await isThere(join(admin, file))) return name;
  return undefined;
};
