/** What a rescue commit says about itself: `coppice.json` in its tree. */
import * as z from 'zod';
import type { Refused, Rescue } from '../contract/worktree.ts';
import type { Git } from './git.ts';

export const RESCUES = 'refs/coppice/rescue/';
export const RECORD = 'coppice.json';
/** Days that a rescue is kept. */
export const KEPT_DAYS = 30;

const subject = z.object({ id: z.string(), subject: z.string() });

export const rescueRecord = z.object({
  version: z.literal(1),
  id: z.string(),
  name: z.string(),
  path: z.string(),
  why: z.string(),
  branch: z.string().nullable(),
  createdAt: z.string(),
  /** Commit of HEAD; null when there was none. */
  head: z.string().nullable(),
  base: z.string().nullable(),
  /** Contents byte for byte, never through filters. `perm`: permission bits. */
  files: z.array(
    z.object({
      path: z.string(),
      mode: z.enum(['100644', '100755', '120000']),
      perm: z.number(),
      blob: z.string(),
    }),
  ),
  /** Empty folders that matter. */
  folders: z.array(z.string()).default([]),
  /** Tracked files that were not on disk. */
  gone: z.array(z.string()),
  /** Entries of the index that differ from HEAD, as `update-index --index-info` reads them. */
  index: z.array(z.string()),
  /** Files of git's folder for the worktree: a merge in progress, the reflog. */
  state: z.array(z.object({ path: z.string(), blob: z.string() })),
  commits: z.array(subject),
  stashes: z.array(subject),
  /** Commits of submodules that their remotes lack; their objects are in this repository now. */
  submodules: z.array(z.object({ path: z.string(), tips: z.array(z.string()) })),
  operation: z.string().nullable(),
});
export type RescueRecord = z.infer<typeof rescueRecord>;

export const summaryOf = (record: RescueRecord): Rescue => ({
  id: record.id,
  ref: RESCUES + record.id,
  name: record.name,
  branch: record.branch,
  createdAt: record.createdAt,
  files: record.files.map(({ path }) => path),
  commits: record.commits.length,
  stashes: record.stashes.length,
  operation: record.operation,
});

export const readRescue = async (git: Git, id: string): Promise<RescueRecord | Refused> => {
  const wrong = {
    refused: `There is no rescue "${id.slice(0, 100)}". List them with: coppice worktree rescue list`,
  };
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id)) return wrong;
  const done = await git.run(['cat-file', 'blob', `${RESCUES}${id}:${RECORD}`]);
  if (done.code !== 0) return wrong;
  try {
    return rescueRecord.parse(JSON.parse(done.stdout.toString('utf8')));
  } catch {
    return {
      refused: `The rescue ${id} cannot be read: its record is damaged. Its commit is ${RESCUES}${id}; look at it with git.`,
    };
  }
};

/** Newest first. */
export const allRescues = async (git: Git): Promise<readonly RescueRecord[]> => {
  const ids = (
    await git.text('The rescues could not be listed', ['for-each-ref', '--format=%(refname)', RESCUES])
  )
    .split('\n')
    .flatMap((ref) => (ref.startsWith(RESCUES) ? [ref.slice(RESCUES.length)] : []));
  const read = await Promise.all(ids.map((id) => readRescue(git, id)));
  return read
    .flatMap((one) => ('refused' in one ? [] : [one]))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
};
