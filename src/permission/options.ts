import type { ShellWord } from './shell-command.ts';

/** Which options of a tool take a value in the next word. */
export interface OptionShape {
  /** Short letters that take a value, attached or in the next word. */
  readonly short?: string;
  /** Long options (with dashes) that take a value in the next word when no `=` is given. */
  readonly long?: readonly string[];
  /** Long options written with one dash (`-name`): no bundling. */
  readonly singleDash?: boolean;
  /** Options end at the first operand. */
  readonly stopAtOperand?: boolean;
}

export interface Option {
  /** `-o` or `--output`, as written but without its value. */
  readonly name: string;
  readonly value?: ShellWord;
}

export interface Scanned {
  readonly options: readonly Option[];
  readonly operands: readonly ShellWord[];
  /** Index in the given words of each operand. */
  readonly places: readonly number[];
  /** True once `--` was seen. */
  readonly ended: boolean;
}

/**
 * Splits arguments the way GNU tools do: options anywhere before `--`, short ones bundled (`-uo FILE`), values
 * attached or following, long ones abbreviated.
 */
export const scanOptions = (args: readonly ShellWord[], shape: OptionShape): Scanned => {
  const options: Option[] = [];
  const operands: ShellWord[] = [];
  const places: number[] = [];
  let ended = false;
  let at = 0;
  const operand = (word: ShellWord) => {
    operands.push(word);
    places.push(at);
  };
  for (; at < args.length; at++) {
    const word = args[at];
    if (!word) break;
    const text = word.pattern;
    if (ended || !text.startsWith('-') || text === '-') {
      operand(word);
      if (shape.stopAtOperand) ended = true;
    } else if (text === '--') ended = true;
    else if (text.startsWith('--') || shape.singleDash) {
      const equals = text.indexOf('=');
      const name = equals < 0 ? text : text.slice(0, equals);
      if (equals >= 0) options.push({ name, value: { ...word, pattern: text.slice(equals + 1) } });
      else if (
        (shape.long ?? []).some((long) => long === name || (name.length > 2 && long.startsWith(name)))
      ) {
        options.push({ name, value: args[++at] });
      } else options.push({ name });
    } else at = bundle(args, at, shape, options);
  }
  return { options, operands, places, ended };
};

/** `-abc`: letters up to the first that takes a value; the rest, or the next word, is that value. */
const bundle = (args: readonly ShellWord[], at: number, shape: OptionShape, options: Option[]): number => {
  const word = args[at];
  const letters = word?.pattern.slice(1) ?? '';
  for (let i = 0; i < letters.length; i++) {
    const letter = letters[i] ?? '';
    if (!(shape.short ?? '').includes(letter)) {
      options.push({ name: `-${letter}` });
      continue;
    }
    const attached = letters.slice(i + 1);
    if (attached !== '' && word) {
      options.push({ name: `-${letter}`, value: { ...word, pattern: attached } });
      return at;
    }
    options.push({ name: `-${letter}`, value: args[at + 1] });
    return at + 1;
  }
  return at;
};

/**
 * The entry of a table that an option means, exactly or as an abbreviation of a long name. `safe` lists full
 * names that are harmless although they begin a listed one.
 */
export const lookUp = <T>(
  name: string,
  table: Readonly<Record<string, T>>,
  safe: readonly string[] = [],
): T | undefined => {
  if (Object.hasOwn(table, name)) return table[name];
  if (!name.startsWith('--') || name.length < 3 || safe.includes(name)) return undefined;
  const full = Object.keys(table).find((candidate) => candidate.startsWith(name));
  return full === undefined ? undefined : table[full];
};
