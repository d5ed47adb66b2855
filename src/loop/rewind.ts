/** Going back in a conversation: what came after a point is dropped, or lives on as a summary. */

import type { UserBlock } from '../contract/message.ts';
import { textOf } from '../contract/message.ts';
import type { Entry } from '../contract/transcript.ts';
import { summaryBy } from './compact.ts';
import type { Here } from './deps.ts';
import { foldBefore } from './fold.ts';
import type { Recorder } from './recorder.ts';

export type RewindHow = 'drop' | 'summarise';

/** A sentence when it could not be done. */
export const rewind = async (
  here: Here,
  recorder: Recorder,
  to: string,
  how: RewindHow,
  signal: AbortSignal,
): Promise<string | undefined> => {
  const entries = await recorder.entries();
  const before = foldBefore(here.opening.id, entries, to);
  if (!before) return 'That point is not in this conversation any more.';
  const summary =
    how === 'summarise' ? await summaryBy(here, focusOn(wordsOf(entries, to)), signal) : undefined;
  if (how === 'summarise' && summary === undefined)
    return 'No summary could be made, so nothing was changed.';
  if (summary)
    await here.record({ type: 'spent', about: 'summary', model: summary.model, usage: summary.usage });
  await recorder.goBack(to, wordsOf(entries, to).slice(0, MOST_WORDS), before);
  if (summary === undefined) return undefined;
  const content: readonly UserBlock[] = [
    {
      type: 'text',
      text: `What came next in this conversation was shortened to this summary:\n\n${summary.text}`,
    },
  ];
  await here.record(
    { type: 'user', meta: true, origin: { kind: 'system', about: 'summary' }, content },
    'sync',
  );
  return undefined;
};

const MOST_WORDS = 200;

const wordsOf = (entries: readonly Entry[], to: string): string => {
  const entry = entries.find(({ uuid }) => uuid === to);
  return entry?.type === 'user' ? (entry.display ?? textOf(entry.content)) : '';
};

const focusOn = (words: string): string =>
  `only what happened from this request on, the request included: ${JSON.stringify(words.slice(0, 500))}. What came before it stays word for word and needs no summary.`;
