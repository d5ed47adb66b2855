const opening = '([{';
const closing = ')]}';

/** Characters that part the items of a list a person wrote on one line. */
export type Parting = 'commas' | 'commas and blanks';

/** What parts items beside the comma, in other writing systems and habits. */
const commas = ',;\u3001\uff0c\n';

/** `'Read'`, `"Read"` and `` `Read` `` are `Read`. */
const unquoted = (text: string): string => /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? text;

/** The pieces between separators that stand outside every bracket and quote. */
const pieces = (text: string, parting: Parting): readonly string[] => {
  const found: string[] = [];
  let depth = 0;
  let quote = '';
  let piece = '';
  for (const char of text) {
    const separates = commas.includes(char) || (parting === 'commas and blanks' && /\s/.test(char));
    if (quote === '' && depth === 0 && separates) {
      found.push(piece);
      piece = '';
      continue;
    }
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (depth === 0 && piece.trim() === '' && (char === '"' || char === "'")) quote = char;
    else if (opening.includes(char)) depth += 1;
    else if (closing.includes(char)) depth = Math.max(0, depth - 1);
    piece += char;
  }
  return [...found, piece];
};

/**
 * Splits `Bash(gh *), Read Write` outside brackets. Commas always part, blanks where asked for; quotes around an
 * item go, a bracket that a blank parted from its name comes back to it (`Bash (git *)`).
 */
export const splitOutsideBrackets = (text: string, parting: Parting): readonly string[] => {
  const items: string[] = [];
  for (const piece of pieces(text, parting)) {
    const item = unquoted(piece.trim()).trim();
    const before = items.at(-1);
    if (item === '') continue;
    if (item.startsWith('(') && before !== undefined && /^\w+$/.test(before))
      items[items.length - 1] = before + item;
    else items.push(item);
  }
  return items;
};
