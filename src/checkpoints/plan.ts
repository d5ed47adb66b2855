/** What going back would do, file by file. Pure but for looking at what is on disk now. */
import { dirname } from 'node:path';
import type {
  CheckpointStep,
  FileChange,
  FileState,
  PlannedFile,
  RewindPlan,
} from '../contract/checkpoint.ts';
import { keyOf, sameState } from './file-state.ts';

interface Story {
  readonly checkout: string;
  readonly target: FileState;
  readonly expected: FileState | undefined;
  /** The step that ended last decides what is expected: several agents work at a time. */
  readonly ended: number;
  /** Every state that is known to be of ours. */
  readonly known: ReadonlySet<string>;
  /** Between two of our calls somebody else wrote it. */
  readonly broken: boolean;
}

const keysOf = ({ before, after }: FileChange): readonly string[] =>
  [before, ...(after ? [after] : [])].filter(({ kind }) => kind !== 'unsaved').map(keyOf);

const told = (story: Story, step: CheckpointStep, change: FileChange): Story => {
  const later = step.ended > story.ended;
  return {
    ...story,
    expected: later ? change.after : story.expected,
    ended: later ? step.ended : story.ended,
    known: new Set([...story.known, ...keysOf(change)]),
    broken: story.broken || story.expected === undefined || !story.known.has(keyOf(change.before)),
  };
};

/** The first state and the last of every file that steps touched. */
export const storiesOf = (steps: readonly CheckpointStep[]): ReadonlyMap<string, Story> => {
  const stories = new Map<string, Story>();
  for (const step of steps)
    for (const change of step.changes) {
      const story = stories.get(change.path);
      stories.set(
        change.path,
        story
          ? told(story, step, change)
          : {
              checkout: step.checkout,
              target: change.before,
              expected: change.after,
              ended: step.ended,
              known: new Set(keysOf(change)),
              broken: false,
            },
      );
    }
  return stories;
};

/** Folders are not recorded: one that lies where a file went was made for the files in it. */
const asLeft = (present: FileState, expected: FileState): boolean =>
  sameState(present, expected) || (present.kind === 'folder' && expected.kind === 'none');

/** Looks at what is there now; `exists` tells whether a checkout is there still. */
export const planFor = async (
  steps: readonly CheckpointStep[],
  now: (path: string) => Promise<FileState>,
  exists: (checkout: string) => Promise<boolean>,
): Promise<Omit<RewindPlan, 'gaps'>> => {
  const files: PlannedFile[] = [];
  const lost: { path: string; why: string }[] = [];
  const there = new Map<string, boolean>();
  for (const { checkout } of steps) if (!there.has(checkout)) there.set(checkout, await exists(checkout));
  for (const [path, { checkout, target, expected, broken }] of storiesOf(steps)) {
    // A worktree that was removed since: its files went where its removal says, and are not made again one by one.
    if (!there.get(checkout) && path.startsWith(`${checkout}/`)) continue;
    if (target.kind === 'unsaved') {
      lost.push({ path, why: target.why });
      continue;
    }
    const present = await now(path);
    if (sameState(present, target)) continue;
    if (present.kind === 'unsaved') {
      lost.push({ path, why: present.why });
      continue;
    }
    files.push({
      path,
      checkout,
      target,
      now: present,
      foreign: broken || expected === undefined || !asLeft(present, expected),
    });
  }
  return { top: topOf(steps), files, lost };
};

/** The folder that all their checkouts lie in. */
export const topOf = (steps: readonly Pick<CheckpointStep, 'checkout'>[]): string => {
  const [first = '/', ...others] = steps.map(({ checkout }) => checkout);
  return others.reduce(shared, first);
};

const shared = (a: string, b: string): string =>
  a === b || a === '/' || b.startsWith(`${a}/`) ? a : shared(dirname(a), b);
