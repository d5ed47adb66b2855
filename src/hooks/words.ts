/** Bounds and descriptions of what a hook said. */
import type { HookVerdict } from '../contract/hook.ts';
import type { Ran } from './runner.ts';

/** Characters of any one text that reaches a model or a person (conventions 1). */
const LONGEST_TEXT = 10_000;
const PREVIEW = 2_000;

/** Keeps a text of an overflowing hook somewhere; answers its path. */
export type Spill = (text: string) => Promise<string>;

const bounded = async (text: string, spill: Spill | undefined): Promise<string> => {
  if (text.length <= LONGEST_TEXT) return text;
  const kept = spill ? ` The whole text is in ${await spill(text)}.` : '';
  return `${text.slice(0, PREVIEW)}\n[A hook said ${text.length} characters; these are the first ${PREVIEW}.${kept}]`;
};

/** Every text of a verdict within bounds; what overflows goes to a file, with a preview in its place. */
export const boundVerdict = async (verdict: HookVerdict, spill: Spill | undefined): Promise<HookVerdict> => {
  const texts = ['blocked', 'reason', 'stop', 'initialUserMessage'] as const;
  const all = [...verdict.context, ...verdict.systemMessages, ...texts.map((name) => verdict[name] ?? '')];
  if (all.every((text) => text.length <= LONGEST_TEXT)) return verdict;
  const spilled = new Map<string, Promise<string>>();
  const once = (text: string): Promise<string> => {
    const found = spilled.get(text) ?? bounded(text, spill);
    spilled.set(text, found);
    return found;
  };
  const entries = await Promise.all(
    texts.flatMap((name) => {
      const text = verdict[name];
      return text === undefined ? [] : [once(text).then((short) => [name, short] as const)];
    }),
  );
  return {
    ...verdict,
    ...Object.fromEntries(entries),
    context: await Promise.all(verdict.context.map(once)),
    systemMessages: await Promise.all(verdict.systemMessages.map(once)),
  };
};

/** Takes secrets out of every text of a verdict. */
export const maskVerdict = (verdict: HookVerdict, mask: (text: string) => string): HookVerdict => ({
  ...verdict,
  ...Object.fromEntries(
    (['blocked', 'reason', 'stop', 'uncertain', 'initialUserMessage'] as const).flatMap((name) => {
      const text = verdict[name];
      return text === undefined ? [] : [[name, mask(text)] as const];
    }),
  ),
  context: verdict.context.map(mask),
  systemMessages: verdict.systemMessages.map(mask),
});

/** For records and events: the beginning, and how much is missing. */
export const excerpt = (text: string): string =>
  text.length <= LONGEST_TEXT
    ? text
    : `${text.slice(0, LONGEST_TEXT)}\n[${text.length - LONGEST_TEXT} more characters]`;

/** What a run did, in a few words, for lists. Undefined: nothing. */
export const effectOf = ({ verdict, wake, later, unsure }: Ran): string | undefined => {
  const said = [
    verdict.decision === 'deny' ? `denied: ${verdict.reason ?? ''}` : undefined,
    verdict.decision && verdict.decision !== 'deny' ? `said ${verdict.decision}` : undefined,
    verdict.blocked !== undefined && verdict.decision !== 'deny' ? `blocked: ${verdict.blocked}` : undefined,
    verdict.stop === undefined ? undefined : `stopped: ${verdict.stop}`,
    verdict.updatedInput ? `changed ${Object.keys(verdict.updatedInput).join(', ')}` : undefined,
    verdict.updatedOutput === undefined ? undefined : 'changed the output',
    verdict.context.length > 0 ? `added ${verdict.context.join('').length} characters of context` : undefined,
    wake === undefined ? undefined : 'woke the model',
    later?.length ? 'left words for the next turn' : undefined,
    unsure === undefined ? undefined : 'could not answer',
  ].filter((one) => one !== undefined);
  return said.length > 0 ? said.join('; ').slice(0, 500) : undefined;
};
