import { safeText } from '../../../lib/safe-text.ts';

/** Pastes that were folded, by number. */
export type Pastes = Readonly<Record<number, string>>;

const foldLines = 6;
const foldLength = 1200;

/** Makes a paste fit for the prompt: `[Pasted text #1 +23 lines]` when it is long, the text itself otherwise. */
export function folded(raw: string, pastes: Pastes): { readonly insert: string; readonly pastes: Pastes } {
  const text = safeText(raw.replace(/\r\n?/g, '\n'));
  const lines = text.split('\n').length;
  if (lines <= foldLines && text.length <= foldLength) return { insert: text, pastes };
  const number = Math.max(0, ...Object.keys(pastes).map(Number)) + 1;
  return { insert: `[Pasted text #${number} +${lines} lines]`, pastes: { ...pastes, [number]: text } };
}

/** Puts folded pastes back in. A mark that was changed by hand stays as it is. */
export const unfolded = (text: string, pastes: Pastes): string =>
  text.replace(
    /\[Pasted text #(\d+) \+\d+ lines\]/g,
    (mark, number: string) => pastes[Number(number)] ?? mark,
  );
