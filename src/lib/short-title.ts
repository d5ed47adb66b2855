/** A title out of what was asked first: made without a model, so always there, free and the same. */

const MOST = 60;

/** Politeness and greetings say nothing of the matter. */
const FILLER =
  /^(?:(?:hi|hello|hey|ok(?:ay)?|so|now|well|please|kindly)\b[\s,.!:]*|(?:can|could|would|will) you (?:please )?|(?:i(?:'d| would) like|i want|i need) you to |let(?:'|’)s |help me (?:to )?)/i;

/** Undefined where nothing is left that would tell one conversation from another. */
export const shortTitle = (prompt: string): string | undefined => {
  const text = prompt
    .replace(/<attached\b[\s\S]*?<\/attached>/g, ' ')
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/^\s*(?:#{1,6}|[-*>])\s+/gm, '');
  const line = text.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one));
  if (line === undefined) return undefined;
  const bare = withoutFiller(line.replace(/\s+/g, ' ').trim());
  const words = clipped(sentence(bare)).replace(/[\s,;:.!]+$/, '');
  return words === '' ? undefined : words.charAt(0).toUpperCase() + words.slice(1);
};

const withoutFiller = (text: string): string => {
  const shorter = text.replace(FILLER, '');
  return shorter === text || shorter === '' ? text : withoutFiller(shorter);
};

/** The first sentence, if it says enough by itself. */
const sentence = (text: string): string => {
  const end = /[.!?](?=\s)/.exec(text.slice(12));
  return end ? text.slice(0, 12 + end.index + (end[0] === '?' ? 1 : 0)) : text;
};

/** Cut at a word, by characters as people count them. */
const clipped = (text: string): string => {
  const letters = [...text];
  if (letters.length <= MOST) return text;
  const cut = letters.slice(0, MOST - 1).join('');
  const word = cut.lastIndexOf(' ');
  return `${(word > MOST / 2 ? cut.slice(0, word) : cut).replace(/[\s,;:.]+$/, '')}…`;
};
