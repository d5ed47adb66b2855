/** Brings worktrees back into the main checkout: in memory first, one after the other, stopping at the first that fails. */
import type { MergeDesk, Overlap, QueueReport, Refused } from '../contract/worktree.ts';
import { ownCommits, tipsOf } from './commits.ts';
import type { Git } from './git.ts';
import { linkedWorktrees } from './linked.ts';
import { readMemo } from './memo.ts';
import { previewOf, type Work } from './merge-preview.ts';
import { overlapsOf } from './overlap.ts';
import type { WorktreeDeps } from './ports.ts';
import { isRefused, refusing } from './refused.ts';
import { type Repository, repositoryAt } from './repository.ts';
import { outsideSubmodules } from './repository-settings.ts';
import { complaintOf } from './run.ts';
import { workCommit } from './work-commit.ts';

export interface DeskDeps extends WorktreeDeps {
  /** Runs a person's check command in a folder. */
  check(command: string, cwd: string): Promise<{ readonly code: number | null; readonly output: string }>;
}

export const createMergeDesk = (deps: DeskDeps): MergeDesk => {
  const at = async <T>(
    place: string,
    work: (repository: Repository) => Promise<T | Refused>,
  ): Promise<T | Refused> =>
    refusing(async () => {
      const repository = await repositoryAt(deps.program, place);
      if (isRefused(repository)) return repository;
      const { git } = repository;
      return work({ ...repository, git: git.with(await outsideSubmodules(git.program, git.cwd)) });
    });

  const named = async ({ commonDir }: Repository, name: string): Promise<Work | Refused> => {
    for (const linked of await linkedWorktrees(commonDir)) {
      const memo = await readMemo(linked.admin);
      if ((memo?.name ?? linked.path.slice(linked.path.lastIndexOf('/') + 1)) === name)
        return { name, linked, commit: await workCommit(deps, linked, name) };
    }
    return { refused: `There is no worktree called ${JSON.stringify(name)}. /worktrees lists them.` };
  };

  const mergeOne = async (git: Git, work: Work): Promise<string | undefined> => {
    const done = await git.run([
      'merge',
      '--no-ff',
      '--no-edit',
      '--no-stat',
      '-m',
      `Merge the worktree ${work.name}`,
      work.commit,
    ]);
    if (done.code === 0) return undefined;
    await git.run(['merge', '--abort']);
    return `git refused the merge: ${complaintOf({ ...done, stderr: done.stderr || done.stdout.toString('utf8') })}`;
  };

  const queue = async (
    repository: Repository,
    names: readonly string[],
    check: string | undefined,
  ): Promise<QueueReport | Refused> => {
    const { git, root } = repository;
    const merged: string[] = [];
    const stop = (name: string, why: string, more: Partial<QueueReport['stopped']> = {}): QueueReport => ({
      merged,
      stopped: { name, why, conflicts: [], ...more },
    });
    for (const name of names) {
      const work = await named(repository, name);
      if (isRefused(work)) return merged.length === 0 ? work : stop(name, work.refused);
      const { conflicts, files } = await previewOf(git, work);
      if (conflicts.length > 0)
        return stop(name, 'it conflicts with what is checked out; nothing of it was merged', { conflicts });
      const before = (await git.text('HEAD could not be read', ['rev-parse', 'HEAD'])).trim();
      const refused = files.length === 0 ? undefined : await mergeOne(git, work);
      if (refused !== undefined) return stop(name, refused);
      if (check !== undefined) {
        const { code, output } = await deps.check(check, root);
        if (code !== 0) {
          const back = await git.run(['reset', '--keep', before]);
          const undone =
            back.code === 0
              ? 'the merge was taken back'
              : `the merge could not be taken back (${complaintOf(back)}); before it HEAD was ${before}`;
          return stop(name, `"${check}" failed with exit code ${code} after it was merged; ${undone}`, {
            output,
          });
        }
      }
      merged.push(name);
    }
    return { merged };
  };

  return {
    diff: (place, name) =>
      at(place, async (repository) => {
        const work = await named(repository, name);
        if (isRefused(work)) return work;
        const text = await repository.git.text('The differences could not be read', [
          'diff',
          '--no-color',
          '--no-ext-diff',
          '--no-textconv',
          '--stat',
          '--patch',
          `HEAD...${work.commit}`,
          '--',
        ]);
        return { text };
      }),
    preview: (place, name) =>
      at(place, async (repository) => {
        const work = await named(repository, name);
        return isRefused(work) ? work : await previewOf(repository.git, work);
      }),
    overlaps: (place, names) =>
      at(place, async (repository) => {
        const works: Work[] = [];
        for (const name of names) {
          const work = await named(repository, name);
          if (isRefused(work)) return work;
          works.push(work);
        }
        const found: Overlap[] = [];
        for (const [index, a] of works.entries())
          for (const b of works.slice(index + 1)) found.push(...(await overlapsOf(repository.git, a, b)));
        return found;
      }),
    queue: (place, names, check) => at(place, (repository) => queue(repository, names, check)),
    pick: (place, name) =>
      at(place, async (repository) => {
        const work = await named(repository, name);
        if (isRefused(work)) return work;
        const { git, commonDir } = repository;
        const known = await tipsOf(git, commonDir, work.linked, work.linked.branch);
        const commits = (
          await ownCommits(git, { tips: [work.commit], elsewhere: known.elsewhere })
        ).toReversed();
        if (commits.length === 0) return { picked: 0 };
        const done = await git.run(['cherry-pick', '--allow-empty', ...commits.map(({ id }) => id)]);
        if (done.code === 0) return { picked: commits.length };
        await git.run(['cherry-pick', '--abort']);
        return {
          refused: `The commits of ${name} do not apply on top of what is checked out, so nothing was changed: ${complaintOf(done)}.`,
        };
      }),
  };
};
