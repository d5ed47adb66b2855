/** What going back would do, file by file. Pure but for looking at what is on disk now. */
import type {
  CheckpointStep,
  FileChange,
  FileState,
  PlannedFile,
  RewindPlan,
} from '../contract/checkpoint.ts';
import { sameState } from './file-state.ts';

interface Story {
  readonly target: FileState;
  readonly expected: FileState | undefined;
  /** Between two of our calls somebody else wrote it. */
  readonly broken: boolean;
}

/** The first state and the last of every file that steps touched, in order of time. */
export const storiesOf = (steps: readonly CheckpointStep[]): ReadonlyMap<string, Story> => {
  const stories = new Map<string, Story>();
  const add = ({ path, before, after }: FileChange) => {
    const told = stories.get(path);
    stories.set(path, {
      target: told?.target ?? before,
      expected: after,
      broken:
        told !== undefined &&
        (told.broken || told.expected === undefined || !sameState(told.expected, before)),
    });
  };
  for (const step of steps) for (const change of step.changes) add(change);
  return stories;
};

export const planFor = async (
  steps: readonly CheckpointStep[],
  now: (path: string) => Promise<FileState>,
): Promise<RewindPlan> => {
  const files: PlannedFile[] = [];
  const lost: { path: string; why: string }[] = [];
  for (const [path, { target, expected, broken }] of storiesOf(steps)) {
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
      target,
      now: present,
      foreign: broken || expected === undefined || !sameState(present, expected),
    });
  }
  return { top: steps[0]?.checkout ?? '/', files, lost };
};
