import { structuredPatch } from 'diff';
import type { Display } from '../contract/display.ts';

/** One hunk, as hooks know it. */
export interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

const CONTEXT = 3;
const MOST_EDITS = 4_000;
const TIME_LIMIT_MS = 300;

/** Old to new, with three lines around each change; as one big hunk where finding the small ones takes too long. */
export const hunksOf = (old: string, next: string): readonly Hunk[] => {
  const options = { context: CONTEXT, maxEditLength: MOST_EDITS, timeout: TIME_LIMIT_MS };
  const patch = structuredPatch('', '', old, next, undefined, undefined, options);
  return patch?.hunks ?? [everything(old, next)];
};

const everything = (old: string, next: string): Hunk => {
  const [removed, added] = [old.split('\n'), next.split('\n')];
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  return { oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines };
};

export const diffDisplay = (path: string, hunks: readonly Hunk[], created: boolean): Display => {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    kind: 'diff',
    path,
    patch: hunks
      .map(
        (hunk) =>
          `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@\n${hunk.lines.join('\n')}\n`,
      )
      .join(''),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    ...(created ? { created } : {}),
  };
};
