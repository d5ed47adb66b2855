import type { Display } from '../contract/display.ts';
import type { ToolContext, ToolOutcome } from '../contract/tool.ts';
import { type OnDisk, putFile, seenAs } from './disk-file.ts';
import { unified } from './line-ends.ts';
import { diffDisplay, type Hunk, hunksOf } from './patch.ts';
import { failure, type Target } from './target.ts';

/** A change that was thought through but not made. `problem` is a sentence. */
export interface Change {
  /** Absent for a new file. */
  readonly before?: OnDisk;
  readonly oldText: string;
  readonly newText: string;
  readonly bytes: Buffer;
}
export type Planned = Change | { readonly problem: string };

/** What a person is shown before and after: the change as a diff. */
export const preview = (target: Target, planned: Planned): Display =>
  'problem' in planned
    ? { kind: 'text', body: planned.problem, failed: true }
    : diffDisplay(target.path, hunksBetween(planned), planned.before === undefined);

/** Makes the change and reports it; `tell` says for the model and for hooks what it was. */
export const make = async (
  target: Target,
  planned: Planned,
  ctx: ToolContext,
  tell: (change: Change, hunks: readonly Hunk[]) => { readonly text: string; readonly response: unknown },
): Promise<ToolOutcome> => {
  if ('problem' in planned) return { status: 'error', text: planned.problem };
  if (ctx.signal.aborted)
    return { status: 'cancelled', text: `Interrupted; ${target.path} was left as it was.` };
  const written = await putFile(target.real, planned.bytes, planned.before?.stats).catch(
    (error: unknown) => ({
      problem: failure(target.path, error),
    }),
  );
  if ('problem' in written) return { status: 'error', text: written.problem };
  const hunks = hunksBetween(planned);
  const link = target.path === target.real ? '' : ` (a link to ${target.real})`;
  const told = tell(planned, hunks);
  return {
    status: 'ok',
    text: told.text + link,
    response: told.response,
    display: diffDisplay(target.path, hunks, planned.before === undefined),
    effects: [{ type: 'seen', path: target.real, file: seenAs(written) }],
  };
};

const hunksBetween = ({ oldText, newText }: Change): readonly Hunk[] =>
  hunksOf(unified(oldText), unified(newText));

const MOST_KEPT_CHARS = 100_000;

/** The old text, where it is not too much for a transcript. */
export const original = ({ before, oldText }: Change): string | null =>
  before && oldText.length <= MOST_KEPT_CHARS ? oldText : null;
