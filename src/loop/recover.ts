/** A reply that did not end by itself: what the person saw of it is kept, and the turn goes on or ends. */
import type { AssistantBlock } from '../contract/message.ts';
import { textOf } from '../contract/message.ts';
import { errorText } from '../lib/error-text.ts';
import { reminder } from '../lib/reminder.ts';
import { compaction } from './compact.ts';
import { openUses, refusal } from './conversation.ts';
import type { Here } from './deps.ts';
import type { Patience } from './patience.ts';
import { partialOf, type Sampled } from './sample.ts';
import type { TurnEnd } from './turn-end.ts';

/** Tells the model something that nobody typed. */
export const remark = (here: Here, about: string, text: string): Promise<void> =>
  here.record({ type: 'user', meta: true, origin: { kind: 'system', about }, content: [reminder(text)] });

/** True when there was something to keep. */
const keepSeen = async (here: Here, seen: readonly AssistantBlock[], why: string): Promise<boolean> => {
  const message = partialOf(here.state().model, `partial_${here.deps.newId()}`, seen, `incomplete: ${why}`);
  if (!message) return false;
  await here.record({ type: 'assistant', message, partial: true });
  return true;
};

/** Every call without a result gets one, so that the next request is valid. */
const closeCalls = async (here: Here, why: string): Promise<void> => {
  for (const use of openUses(here.state().messages))
    await here.record({
      type: 'user',
      origin: { kind: 'tools' },
      content: [refusal(use.id, `[interrupted] ${why}`)],
    });
};

export const interrupted = async (here: Here, seen: readonly AssistantBlock[] = []): Promise<TurnEnd> => {
  await keepSeen(here, seen, 'interrupted by the user');
  await closeCalls(here, 'The user interrupted before this call ran.');
  await remark(here, 'interrupt', 'The user interrupted this turn. Wait for what they say next.');
  return { stop: 'interrupted', text: textOf(seen) };
};

/** After a request that failed: undefined to ask again, else how the turn ends. */
export const recover = async (
  here: Here,
  { failure, seen }: Extract<Sampled, { kind: 'failed' }>,
  patience: Patience,
  signal: AbortSignal,
): Promise<TurnEnd | undefined> => {
  const tooLong = failure.kind === 'context_exceeded' && patience.spend('compaction');
  if (tooLong && (await compaction(here, { trigger: 'auto', signal }))) return;
  const kept = await keepSeen(here, seen, 'the connection was lost');
  if (!failure.retryable || seen.length === 0 || !patience.spend('cut'))
    return { stop: 'failed', text: textOf(seen), error: failure.text, failure };
  here.emit({ type: 'restarted', reason: failure.text });
  if (kept)
    await remark(
      here,
      'cut',
      'Your last reply was cut off by a lost connection; what arrived of it stands above. Go on from there. Tool calls of that reply did not run.',
    );
  return;
};

/** After a fault of the program: the turn is over, the conversation can go on. */
export const brokenBy = (error: unknown): TurnEnd => {
  const text = `The turn ended by a fault: ${errorText(error)}`;
  return {
    stop: 'failed',
    text: '',
    error: text,
    failure: { kind: 'unknown', text, retryable: false },
    broken: true,
  };
};

export const broken = async (here: Here, error: unknown): Promise<TurnEnd> => {
  await closeCalls(here, `A fault ended this turn, and what this call did is not known: ${errorText(error)}`);
  return brokenBy(error);
};
