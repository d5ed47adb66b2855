/** All work of a worktree as one commit, made beside it: its index and files are not touched. */
import { randomUUID } from 'node:crypto';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Linked } from './linked.ts';
import { gitOf } from './pointer.ts';
import type { WorktreeDeps } from './ports.ts';
import { statusOf } from './status.ts';
import { commonDirOf } from './survey.ts';

/** HEAD, or a commit on top of it that holds what is not committed yet. */
export const workCommit = async (deps: WorktreeDeps, linked: Linked, name: string): Promise<string> => {
  const git = await gitOf(deps.program, linked);
  const head = (await git.text('The worktree has no commit', ['rev-parse', '--verify', 'HEAD'])).trim();
  const { changed, gone, untracked } = await statusOf(git);
  if (changed.length + untracked.length === 0) return head;
  const index = join(commonDirOf(linked), 'coppice', `${randomUUID()}.index`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await copyFile(join(linked.admin, 'index'), index);
    // Not "git add": that looks into submodules by their own configuration.
    const went = new Set(gone);
    const stays = [
      ...changed.filter((path) => !went.has(path)),
      ...untracked.filter((path) => !path.endsWith('/')),
    ];
    await git.text('The work could not be gathered', ['update-index', '-z', '--index-info'], {
      env,
      input: gone.map((path) => `0 ${'0'.repeat(head.length)}\t${path}\0`).join(''),
    });
    await git.text(
      'The work could not be gathered',
      ['update-index', '--add', '--replace', '-z', '--stdin'],
      {
        env,
        input: stays.map((path) => `${path}\0`).join(''),
      },
    );
    const tree = (await git.text('The work could not be gathered', ['write-tree'], { env })).trim();
    return (
      await git.text('The work could not be gathered', [
        'commit-tree',
        tree,
        '-p',
        head,
        '-m',
        `Work of the worktree ${name} that was not committed`,
      ])
    ).trim();
  } finally {
    await rm(index, { force: true });
  }
};
