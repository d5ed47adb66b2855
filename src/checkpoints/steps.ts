/** What the journal tells, call by call. */
import type { CheckpointStep, FileChange } from '../contract/checkpoint.ts';
import { errorText } from '../lib/error-text.ts';
import type { Begun, JournalLine } from './journal.ts';
import type { Trees } from './trees.ts';

/** In the order in which they began, but for those that run still. */
export const stepsOf = async (
  lines: readonly JournalLine[],
  running: ReadonlySet<string>,
  trees: Trees,
): Promise<readonly CheckpointStep[]> => {
  const ends = new Map(
    lines.flatMap((line, at) =>
      line.type === 'end' ? [[line.id, { changes: line.changes, ended: at }] as const] : [],
    ),
  );
  const steps: CheckpointStep[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.type !== 'begin' || running.has(line.id)) continue;
    const { id, session, agent, tool, subject, checkout } = line;
    const end = ends.get(id) ?? {
      changes: await cutOff(line, lines.slice(at + 1), trees),
      ended: Number.POSITIVE_INFINITY,
    };
    if (end.changes.length > 0)
      steps.push({ id, at: line.at, session, agent, tool, subject, checkout, ...end });
  }
  return steps;
};

/** A call that a crash cut off ended before the next one began, or before now: who left what is there then is not known. */
const cutOff = async (
  { file, tree, checkout }: Begun,
  later: readonly JournalLine[],
  trees: Trees,
): Promise<readonly FileChange[]> => {
  if (file) return [{ ...file }];
  if (tree === undefined) return [];
  const next = later.flatMap((line) =>
    line.type === 'begin' && line.checkout === checkout ? (line.tree ?? []) : [],
  );
  try {
    const then = next[0] ?? (await trees.take(checkout));
    if (then === undefined) return unknown(checkout, 'it is not recorded any more');
    return (await trees.between(checkout, tree, then)).map(({ path, before }) => ({ path, before }));
  } catch (error) {
    return unknown(checkout, errorText(error));
  }
};

/** Nobody may take it for a call that changed nothing. */
const unknown = (checkout: string, why: string): readonly FileChange[] => [
  { path: checkout, before: { kind: 'unsaved', why: `what a command changed in it is not known: ${why}` } },
];
