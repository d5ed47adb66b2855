/** What would be lost if a worktree went away. Looks at everything, changes nothing. */
import { join } from 'node:path';
import type { Survey } from '../contract/worktree.ts';
import { operationIn, ownCommits, ownStashes, type Subject, type Tips, tipsOf } from './commits.ts';
import { type Examined, examine, hasFiles } from './examine.ts';
import { type Git, gitIn } from './git.ts';
import type { Linked } from './linked.ts';
import { type Memo, readMemo } from './memo.ts';
import { kindAt } from './place.ts';
import { gitOf } from './pointer.ts';
import type { WorktreeDeps } from './ports.ts';
import { GitFailed } from './run.ts';

/** The survey with what a rescue needs of it. */
export interface Looked {
  readonly survey: Survey;
  readonly linked: Linked;
  readonly memo?: Memo;
  readonly commonDir: string;
  /** Git in the worktree; in the common folder when its own is gone. */
  readonly git: Git;
  /** Absent when the folder is gone. */
  readonly found?: Examined;
  readonly tips: Tips;
  readonly stashes: readonly Subject[];
  readonly ownBranch?: string;
}

export const commonDirOf = (linked: Linked): string => join(linked.admin, '..', '..');

/** The branch that was made for a worktree and goes with it. */
const ownBranchOf = (linked: Linked, memo: Memo | undefined): string | undefined => {
  const name = linked.path.slice(linked.path.lastIndexOf('/') + 1);
  return memo?.branch ?? (linked.branch === `worktree-${name}` ? linked.branch : undefined);
};

export const look = async (deps: WorktreeDeps, linked: Linked): Promise<Looked> => {
  const { program } = deps;
  if (!program) throw new GitFailed('git was not found on PATH.', 1);
  const commonDir = commonDirOf(linked);
  const kind = await kindAt(linked.path);
  if (kind === 'link' || kind === 'other')
    throw new GitFailed(
      `${linked.path} is ${kind === 'link' ? 'a link' : 'a file'} now and not the folder that git made. It was left alone; look at it by hand.`,
      1,
    );
  const memo = await readMemo(linked.admin);
  const git = await (kind === 'nothing' ? gitIn(program, commonDir) : gitOf(program, linked));
  const ownBranch = ownBranchOf(linked, memo);
  const around = { main: rootOf(linked), disposable: deps.settings().disposable, links: memo?.links ?? {} };
  const found = kind === 'nothing' ? undefined : await examine(git, '', around);
  const tips = await tipsOf(git, commonDir, linked, ownBranch);
  const commits = await ownCommits(git, tips);
  const branches = [...new Set([linked.branch, ownBranch].flatMap((one) => one ?? []))];
  const stashes = await ownStashes(git, branches, new Set([...tips.tips, ...commits.map(({ id }) => id)]));
  const operation = await operationIn(linked);
  const odd = found && strange(found);
  const dirty =
    (found !== undefined && hasFiles(found)) ||
    commits.length + stashes.length > 0 ||
    operation !== undefined ||
    odd !== undefined;
  const survey: Survey = {
    worktree: {
      name: memo?.name ?? linked.path.slice(linked.path.lastIndexOf('/') + 1),
      path: linked.path,
      ...(linked.branch ? { branch: linked.branch } : {}),
    },
    changed: found?.changed ?? [],
    untracked: found?.untracked ?? [],
    ignored: found?.ignored ?? [],
    commits,
    stashes,
    ...(operation ? { operation } : {}),
    submodules: (found?.submodules ?? []).flatMap((one) =>
      hasFiles(one) || one.tips.length > 0 ? [one.prefix] : [],
    ),
    ...(odd ? { unclear: odd } : {}),
    clean: !dirty,
    ...(dirty && found
      ? await statOf(git, memo?.base, found.untracked)
      : { stat: { files: 0, added: 0, removed: 0 }, touched: [] }),
  };
  return {
    survey,
    linked,
    ...(memo ? { memo } : {}),
    commonDir,
    git,
    ...(found ? { found } : {}),
    tips,
    stashes,
    ...(ownBranch ? { ownBranch } : {}),
  };
};

/** The main checkout of one of our worktrees. */
export const rootOf = (linked: Linked): string =>
  /^(.*)\/\.coppice\/worktrees\/[^/]+$/.exec(linked.path)?.[1] ?? join(commonDirOf(linked), '..');

/** A name that cannot be written down cannot be saved. */
const strange = (found: Examined): string | undefined => {
  const all = [...found.changed, ...found.untracked, ...found.ignored];
  const bad = all.find((path) => path.includes('\ufffd'));
  if (bad !== undefined)
    return `the file name ${JSON.stringify(bad)} is not UTF-8, so it cannot be saved: rename it first`;
  return found.submodules.map(strange).find((one) => one !== undefined);
};

const statOf = async (
  git: Git,
  base: string | undefined,
  untracked: readonly string[],
): Promise<Pick<Survey, 'stat' | 'touched'>> => {
  const done = await git.run([
    'diff',
    '--numstat',
    '-z',
    '--no-ext-diff',
    '--no-textconv',
    '--ignore-submodules=dirty',
    '--no-renames',
    base ?? 'HEAD',
    '--',
  ]);
  const lines =
    done.code === 0
      ? done.stdout
          .toString('utf8')
          .split('\0')
          .filter((line) => line !== '')
      : [];
  const sum = (field: number) =>
    lines.reduce((total, line) => total + (Number(line.split('\t')[field]) || 0), 0);
  const touched = [...lines.map((line) => line.split('\t').slice(2).join('\t')), ...untracked].sort();
  return { stat: { files: touched.length, added: sum(0), removed: sum(1) }, touched };
};
