/** What an instruction file says once comments are gone, and which files it asks for. Pure. */
import { dirname, join } from 'node:path';

export interface RuleHead {
  /** Which files a rule is about; absent: it always counts. */
  readonly globs?: readonly string[];
  readonly body: string;
}

/** The head of a rule file apart from its text. Only `paths` (or `globs`) and `alwaysApply` matter. */
export const splitHead = (text: string): RuleHead => {
  const found = text.match(/^---[ \t]*\r?\n([\s\S]*?)\r?\n?---[ \t]*(?:\r?\n|$)/);
  if (!found) return { body: text };
  const [whole, head = ''] = found;
  const globs = /^alwaysApply:[ \t]*true\b/m.test(head)
    ? []
    : (listOf(head, 'paths') ?? listOf(head, 'globs') ?? []);
  return { ...(globs.length > 0 ? { globs } : {}), body: text.slice(whole.length) };
};

/**
 * A list under a key: `a, b` or `[a, b]` on one line, or `- a` lines. Taken from the text, for `paths: **\/*.ts` is
 * what people write and is no YAML. Commas inside braces belong to the glob.
 */
const listOf = (head: string, key: string): readonly string[] | undefined => {
  const found = head.match(new RegExp(`^${key}:[ \\t]*(.*)((?:\\r?\\n[ \\t]*-[ \\t]+.*)*)`, 'm'));
  if (!found) return undefined;
  const [, line = '', items = ''] = found;
  const inLine = plain(line)
    .replace(/^\[(.*)\]$/, '$1')
    .split(/,(?![^{]*\})/);
  return [...inLine, ...items.split(/\r?\n[ \t]*-[ \t]+/)].map(plain).filter((glob) => glob !== '');
};

const plain = (value: string): string =>
  value
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
    .trim();

/** Without HTML comments that stand on lines of their own; code keeps everything. */
export const withoutComments = (text: string): string => {
  const kept: string[] = [];
  let inComment = false;
  for (const { line, code } of lines(text, () => inComment)) {
    if (inComment) {
      const end = line.indexOf('-->');
      if (end === -1) continue;
      inComment = false;
      const rest = line.slice(end + 3);
      if (rest.trim() !== '') kept.push(rest);
      continue;
    }
    if (code || !/^\s*<!--/.test(line)) {
      kept.push(line);
      continue;
    }
    const end = line.indexOf('-->');
    if (end === -1) inComment = true;
    else if (line.slice(end + 3).trim() !== '') kept.push(line.slice(end + 3));
  }
  return kept.join('\n').trim();
};

/** Paths after `@` at the start of a word, outside code spans and blocks, in order, made absolute. */
export const importsIn = (text: string, file: string, home: string | undefined): readonly string[] => {
  const found = new Set<string>();
  for (const { line, code } of lines(text, () => false)) {
    if (code) continue;
    for (const [, path = ''] of line
      .replace(/(`+)[^`].*?\1/g, ' ')
      .matchAll(/(?:^|[\s(])@((?:\\ |[^\s`])+)/g)) {
      const plain = path.replaceAll('\\ ', ' ').replace(/[.,;:!?)\]'"]+$/, '');
      if (plain !== '' && !/^[@#]/.test(plain)) found.add(absolute(plain, file, home));
    }
  }
  return [...found].filter((path) => path !== '');
};

const absolute = (path: string, file: string, home: string | undefined): string => {
  if (path.startsWith('~/')) return home === undefined ? '' : join(home, path.slice(2));
  return path.startsWith('/') ? join(path) : join(dirname(file), path);
};

/** Lines with whether they are code: fenced blocks and their fences. */
function* lines(
  text: string,
  paused: () => boolean,
): Generator<{ readonly line: string; readonly code: boolean }> {
  let fence: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const mark = paused() ? undefined : line.match(/^ {0,3}(`{3,}|~{3,})/)?.[1];
    if (fence !== undefined) {
      yield { line, code: true };
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    } else {
      fence = mark;
      yield { line, code: mark !== undefined };
    }
  }
}
