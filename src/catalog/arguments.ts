/** Arguments and places put into a skill's text (conventions 3): one pass, so that nothing put in is read again. */

export interface Filling {
  readonly args: string;
  /** Names of the arguments, in order. */
  readonly names: readonly string[];
  /** Values of `${CLAUDE_X}` and `${COPPICE_X}`, by X. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Words as a shell parts them: quotes keep blanks, a backslash keeps the next sign. */
export const splitArguments = (text: string): readonly string[] => {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\\' && quote !== "'" && at + 1 < text.length) {
      at += 1;
      word = (word ?? '') + (text[at] ?? '');
    } else if (quote !== '') {
      if (char === quote) quote = '';
      else word = (word ?? '') + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  return word === undefined ? words : [...words, word];
};

const pattern =
  /\\(?=\$)|\$ARGUMENTS(?:\[(\d+)\]|(?!\w))|\$\{(?:CLAUDE|COPPICE)_([A-Z_]+)\}|\$(\d{1,2})(?!\d|[.,]\d)|\$([A-Za-z_]\w*)/g;

/** Whether a text begins with something that would be filled in. */
const isPlace = (text: string, names: readonly string[]): boolean => {
  if (/^\$(?:ARGUMENTS|\d|\{(?:CLAUDE|COPPICE)_)/.test(text)) return true;
  const name = /^\$([A-Za-z_]\w*)/.exec(text)?.[1];
  return name !== undefined && names.includes(name);
};

export interface Filled {
  readonly text: string;
  /** Whether the text has a place for arguments at all. */
  readonly used: boolean;
}

/** A missing index stays as it is written, a missing name is empty, prices (`$1.50`) are prices. */
export const fill = (template: string, filling: Filling): Filled => {
  const words = splitArguments(filling.args);
  let used = false;
  let escaped = -1;
  const text = template.replace(
    pattern,
    (
      whole,
      index: string | undefined,
      variable: string | undefined,
      place: string | undefined,
      name: string | undefined,
      at: number,
    ) => {
      if (whole === '\\') {
        escaped = at + 1;
        return isPlace(template.slice(escaped), filling.names) ? '' : whole;
      }
      if (at === escaped) return whole;
      if (variable !== undefined) return filling.variables[variable] ?? whole;
      if (name !== undefined) {
        const known = filling.names.indexOf(name);
        if (known < 0) return whole;
        used = true;
        return words[known] ?? '';
      }
      const number = index ?? place;
      const word = number === undefined ? filling.args : words[Number(number)];
      used ||= place === undefined || word !== undefined;
      return word ?? whole;
    },
  );
  return { text, used };
};
