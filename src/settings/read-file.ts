import { errorText } from '../lib/error-text.ts';
import { nestsDeeper } from '../lib/nesting.ts';
import { readRegularText } from '../lib/regular-file.ts';

export type JsonFile =
  | { readonly value: unknown; readonly text: string }
  | { readonly missing: true }
  | { readonly wrong: { readonly found: string; readonly expected: string } };

const unreadable: Readonly<Record<string, string>> = {
  EACCES: 'no permission to read it',
  EISDIR: 'a directory',
  EFTYPE: 'a pipe or a device',
  EFBIG: 'a file too large to be settings',
};

/** Strict JSON; what is wrong is told with line and column. A byte order mark is passed over. */
export const readJsonFile = async (path: string): Promise<JsonFile> => {
  let text: string;
  try {
    text = await readRegularText(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { missing: true };
    return {
      wrong: {
        found: unreadable[code] ?? String(error),
        expected: 'a readable file',
      },
    };
  }
  return parseJson(text);
};

/** Far above what settings need, and far below where reading them fails. */
const MOST_LEVELS = 100;

export const parseJson = (text: string): Exclude<JsonFile, { missing: true }> => {
  const plain = text.replace(/^\uFEFF/, '');
  if (plain.trim() === '') return { wrong: { found: 'an empty file', expected: 'an object, at least {}' } };
  try {
    const value: unknown = JSON.parse(plain);
    if (nestsDeeper(value, MOST_LEVELS))
      return {
        wrong: { found: 'brackets nested without end', expected: 'an object: { "key": value, ... }' },
      };
    return { value, text: plain };
  } catch (error) {
    return { wrong: broken(plain, errorText(error)) };
  }
};

const broken = (text: string, message: string): { readonly found: string; readonly expected: string } => {
  const position = Number(message.match(/position (\d+)/)?.[1] ?? text.trimEnd().length);
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = position - before.lastIndexOf('\n');
  const rest = text.slice(position);
  const hint = /^\/[/*]/.test(rest)
    ? 'JSON has no comments: remove it'
    : /^[}\]]/.test(rest) && /,\s*$/.test(before)
      ? 'remove the comma before it'
      : /^'/.test(rest)
        ? 'write strings in double quotes'
        : /^"/.test(rest)
          ? 'a comma may be missing before it'
          : rest.trim() === ''
            ? 'a closing bracket or quote is missing'
            : 'see there';
  const found =
    rest.trim() === '' ? 'the end of the file' : JSON.stringify(rest.slice(0, 12).split('\n', 1)[0] ?? '');
  return { found: `${found} at line ${line}, column ${column}`, expected: `valid JSON (${hint})` };
};
