/** What a sed script would do beside printing. */
export interface SedScript {
  readonly hazards: readonly string[];
}

class Unread extends Error {}

/**
 * Reads a GNU sed script command by command (security 2.3: parsed, not searched). A script that is not
 * understood to its end is a hazard as a whole. Versions differ on a delimiter inside `[...]`, so it is read
 * both ways.
 */
export const readSedScript = (script: string): SedScript => {
  const usual = read(script, true);
  const other = read(script, false);
  const hazards = [...new Set([...usual.hazards, ...other.hazards])];
  return { hazards: usual.whole ? hazards : [...hazards, 'a sed script that could not be read'] };
};

const read = (
  script: string,
  brackets: boolean,
): { readonly hazards: readonly string[]; readonly whole: boolean } => {
  const reader: Reader = { text: script, at: 0, hazards: [], brackets };
  try {
    while (reader.at < script.length) readCommand(reader);
    return { hazards: reader.hazards, whole: true };
  } catch (error) {
    if (!(error instanceof Unread)) throw error;
    return { hazards: reader.hazards, whole: false };
  }
};

interface Reader {
  readonly text: string;
  at: number;
  readonly hazards: string[];
  /** True when a delimiter inside `[...]` is plain text. */
  readonly brackets: boolean;
}

const readCommand = (reader: Reader): void => {
  skip(reader, /[\s;]/);
  if (reader.at >= reader.text.length) return;
  readAddress(reader);
  skip(reader, /[\s]/);
  if (reader.text[reader.at] === ',') {
    reader.at++;
    skip(reader, /\s/);
    if (!readAddress(reader)) throw new Unread();
  }
  skip(reader, /[\s!]/);
  const name = reader.text[reader.at];
  if (name === undefined) throw new Unread();
  reader.at++;
  switch (name) {
    case '#':
      toLineEnd(reader);
      return;
    case '{':
    case '}':
    case '=':
    case 'd':
    case 'D':
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'n':
    case 'N':
    case 'p':
    case 'P':
    case 'x':
    case 'F':
    case 'z':
      return;
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      skip(reader, /[ \t\d]/);
      return;
    case 'b':
    case 't':
    case 'T':
    case ':':
    case 'v':
      skip(reader, /[ \t]/);
      skip(reader, /[^;\s}]/);
      return;
    case 'a':
    case 'i':
    case 'c':
      readText(reader);
      return;
    case 's':
      readSubstitution(reader);
      return;
    case 'y': {
      const delimiter = delimiterOf(reader);
      section(reader, delimiter);
      section(reader, delimiter);
      return;
    }
    case 'e':
      reader.hazards.push('the sed command e runs a program');
      toLineEnd(reader);
      return;
    case 'w':
    case 'W':
      reader.hazards.push(`the sed command ${name} writes a file`);
      toLineEnd(reader);
      return;
    case 'r':
    case 'R':
      reader.hazards.push(`the sed command ${name} reads a file`);
      toLineEnd(reader);
      return;
    default:
      throw new Unread();
  }
};

const skip = (reader: Reader, what: RegExp): void => {
  while (reader.at < reader.text.length && what.test(reader.text[reader.at] ?? '')) reader.at++;
};

const toLineEnd = (reader: Reader): void => {
  const end = reader.text.indexOf('\n', reader.at);
  reader.at = end < 0 ? reader.text.length : end + 1;
};

/** `a\` and its lines; a line that ends in a backslash goes on. */
const readText = (reader: Reader): void => {
  skip(reader, /[ \t]/);
  if (reader.text[reader.at] === '\\') {
    reader.at++;
    skip(reader, /[ \t]/);
    if (reader.text[reader.at] === '\n') reader.at++;
  }
  while (reader.at < reader.text.length) {
    const char = reader.text[reader.at];
    reader.at += char === '\\' ? 2 : 1;
    if (char === '\n') return;
  }
};

const readAddress = (reader: Reader): boolean => {
  const start = reader.at;
  const char = reader.text[reader.at] ?? '';
  if (/[\d$+~]/.test(char)) {
    reader.at++;
    skip(reader, /[\d~]/);
  } else if (char === '/' || char === '\\') {
    if (char === '\\') reader.at++;
    const delimiter = delimiterOf(reader);
    section(reader, delimiter, true);
    skip(reader, /[IM]/);
  }
  return reader.at > start;
};

const delimiterOf = (reader: Reader): string => {
  const delimiter = reader.text[reader.at];
  if (delimiter === undefined || delimiter === '\n' || delimiter === '\\') throw new Unread();
  reader.at++;
  return delimiter;
};

/** Up to the next delimiter that no backslash precedes. */
const section = (reader: Reader, delimiter: string, regex = false): void => {
  while (reader.at < reader.text.length) {
    const char = reader.text[reader.at];
    if (char === delimiter) {
      reader.at++;
      return;
    }
    if (regex && reader.brackets && char === '[') bracket(reader);
    else reader.at += char === '\\' ? 2 : 1;
  }
  throw new Unread();
};

/** `[^]x[:digit:]]` as one piece. */
const bracket = (reader: Reader): void => {
  const found = /^\[\^?\]?(\[[:.=][^\]]*[:.=]\]|[^\]\n])*\]/.exec(reader.text.slice(reader.at))?.[0];
  if (!found || /\\\]?$/.test(found.slice(0, -1))) throw new Unread();
  reader.at += found.length;
};

const readSubstitution = (reader: Reader): void => {
  const delimiter = delimiterOf(reader);
  section(reader, delimiter, true);
  section(reader, delimiter);
  for (;;) {
    const flag = reader.text[reader.at];
    if (flag === undefined) return;
    if (/[gpiIMm\d]/.test(flag)) reader.at++;
    else if (flag === 'e') {
      reader.hazards.push('the flag e of s runs a program');
      reader.at++;
    } else if (flag === 'w') {
      reader.hazards.push('the flag w of s writes a file');
      toLineEnd(reader);
      return;
    } else if (/[\s;}#]/.test(flag)) return;
    else throw new Unread();
  }
};
