/** What an instruction file says once comments are gone, and which files it asks for. Pure. */
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** A frontmatter block apart from the text; none, or one that cannot be read, leaves the text as it is. */
export const splitFrontmatter = (
  text: string,
): { readonly fields: Readonly<Record<string, unknown>>; readonly body: string } => {
  const found = text.match(/^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/);
  if (!found) return { fields: {}, body: text };
  const body = text.slice(found[0].length);
  try {
    const fields: unknown = parse(found[1] ?? '');
    return {
      fields: typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? { ...fields } : {},
      body,
    };
  } catch {
    return {
      fields: { paths: looseList(found[1] ?? '', 'paths') ?? looseList(found[1] ?? '', 'globs') },
      body,
    };
  }
};

/** `paths: **\/*.ts` is no YAML (a leading `*`), yet people write it. */
const looseList = (block: string, key: string): string | undefined =>
  block
    .match(new RegExp(`^${key}:[ \\t]*(.+)$`, 'm'))?.[1]
    ?.trim()
    .replace(/^["']|["']$/g, '');

/** Globs of `paths` or `globs`: a list, or one string with commas (outside braces). */
export const globsOf = (fields: Readonly<Record<string, unknown>>): readonly string[] | undefined => {
  if (fields.alwaysApply === true) return undefined;
  const value = fields.paths ?? fields.globs;
  const globs =
    typeof value === 'string'
      ? value.split(/,(?![^{]*\})/)
      : Array.isArray(value)
        ? value.filter((item) => typeof item === 'string')
        : [];
  const kept = globs.map((glob) => glob.trim()).filter((glob) => glob !== '');
  return kept.length > 0 ? kept : undefined;
};

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
