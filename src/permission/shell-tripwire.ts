import type { Problem } from './shell-command.ts';
import { childrenOf, type SyntaxNode } from './shell-syntax.ts';

/** Longest text that can be allowed. Deny and ask rules are applied beyond it. */
const textLimit = 10_000;

/**
 * Scans of the raw text that do not trust the parser (security 2.4): each names a construct that is known to be,
 * or may be, read differently by the parser than by bash.
 */
export const tripped = (text: string): readonly Problem[] =>
  text.length > textLimit ? [`a text longer than ${textLimit} characters`] : trippedWithin(text);

const trippedWithin = (text: string): readonly Problem[] => [
  ...(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text) ? ['a control character'] : []),
  ...(/[\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ue000-\ue00f]|\udb40[\udc00-\udc7f]/.test(
    text,
  )
    ? ['an invisible or direction-changing character']
    : []),
  ...(/\$\{[^}]*\\\n/.test(text) ? ['a line continuation inside a parameter expansion'] : []),
  ...(/\S\\\n\S/.test(text) ? ['a line continuation inside a word'] : []),
  ...(/=\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)[^\s;&|)<>]/.test(text) ? ['text after an array value'] : []),
];

/**
 * Counts the openings of substitutions that bash would act on, with a reader of its own. More of them than the
 * tree holds means that the tree lost one.
 */
export const lostSubstitution = (text: string, root: SyntaxNode): Problem | undefined => {
  const scan = { text, at: 0, count: 0 };
  scanUntil(scan, undefined, 0);
  return scan.count > countInTree(root, 0) ? 'a substitution that the parser did not report' : undefined;
};

const substitutions: ReadonlySet<string> = new Set([
  'CommandExpansion',
  'ProcessSubstitution',
  'ArithmeticCommandExpansion',
  'ArithmeticExpansion',
]);

const countInTree = (node: SyntaxNode, depth: number): number => {
  if (depth > 2000) return 0;
  let count = substitutions.has(node.type) ? 1 : 0;
  for (const child of childrenOf(node)) count += countInTree(child, depth + 1);
  return count;
};

interface Scan {
  readonly text: string;
  at: number;
  count: number;
}

/** Reads on until the closing character of the context; quotes mean nothing special inside double quotes. */
const scanUntil = (scan: Scan, close: '"' | ')' | '}' | '`' | undefined, depth: number): void => {
  const heredocs: { word: string; quoted: boolean; tabs: boolean }[] = [];
  const quoted = close === '"';
  while (scan.at < scan.text.length && depth < 500) {
    const char = scan.text[scan.at] ?? '';
    const next = scan.text[scan.at + 1] ?? '';
    if (char === close) {
      scan.at++;
      return;
    }
    if (char === '\\') scan.at += 2;
    else if (char === "'" && !quoted) skipSingle(scan);
    else if (char === '$' && next === "'" && !quoted) skipAnsi(scan);
    else if (char === '"' && !quoted) enter(scan, 1, '"', depth);
    else if (char === '$' && next === '(') opened(scan, 2, ')', depth);
    else if ((char === '<' || char === '>') && next === '(' && !quoted) opened(scan, 2, ')', depth);
    else if (char === '`') opened(scan, 1, '`', depth);
    else if (char === '$' && next === '{' && /[\s|]/.test(scan.text[scan.at + 2] ?? ''))
      opened(scan, 2, '}', depth);
    else if (char === '$' && next === '{') enter(scan, 2, '}', depth);
    else if (char === '(' && !quoted && close !== '}') enter(scan, 1, ')', depth);
    else if (char === '#' && !quoted && close !== '}' && startsWord(scan)) skipTo(scan, '\n');
    else if (char === '<' && next === '<' && !quoted && close !== '}') noteHeredoc(scan, heredocs);
    else if (char === '\n' && heredocs.length > 0) skipQuotedBodies(scan, heredocs, depth);
    else scan.at++;
  }
};

const enter = (scan: Scan, skip: number, close: '"' | ')' | '}' | '`', depth: number): void => {
  scan.at += skip;
  scanUntil(scan, close, depth + 1);
};

const opened = (scan: Scan, skip: number, close: ')' | '}' | '`', depth: number): void => {
  scan.count++;
  enter(scan, skip, close, depth);
};

const skipTo = (scan: Scan, char: string): void => {
  const found = scan.text.indexOf(char, scan.at);
  scan.at = found < 0 ? scan.text.length : found;
};

const skipSingle = (scan: Scan): void => {
  scan.at++;
  skipTo(scan, "'");
  scan.at++;
};

const skipAnsi = (scan: Scan): void => {
  scan.at += 2;
  while (scan.at < scan.text.length && scan.text[scan.at] !== "'")
    scan.at += scan.text[scan.at] === '\\' ? 2 : 1;
  scan.at++;
};

const startsWord = (scan: Scan): boolean => scan.at === 0 || /[\s;&|()]/.test(scan.text[scan.at - 1] ?? '');

const noteHeredoc = (scan: Scan, heredocs: { word: string; quoted: boolean; tabs: boolean }[]): void => {
  if (scan.text[scan.at + 2] === '<') {
    scan.at += 3;
    return;
  }
  const head = /^<<(-?)[ \t]*((?:[^\s;&|<>()'"\\$`]|\\.|'[^']*'|"[^"]*")+)/.exec(
    scan.text.slice(scan.at, scan.at + 300),
  );
  if (!head) {
    scan.at += 2;
    return;
  }
  const raw = head[2] ?? '';
  const word = raw.replace(/\\(.)|'([^']*)'|"([^"]*)"/g, '$1$2$3');
  heredocs.push({ word, quoted: /['"\\]/.test(raw), tabs: head[1] === '-' });
  scan.at += head[0].length;
};

/** Bodies with a quoted delimiter are data; the others are read like the inside of double quotes. */
const skipQuotedBodies = (
  scan: Scan,
  heredocs: { word: string; quoted: boolean; tabs: boolean }[],
  depth: number,
): void => {
  scan.at++;
  for (const { word, quoted, tabs } of heredocs.splice(0)) {
    const start = scan.at;
    let end = start;
    while (end < scan.text.length) {
      const stop = scan.text.indexOf('\n', end);
      const line = scan.text.slice(end, stop < 0 ? undefined : stop);
      if ((tabs ? line.replace(/^\t+/, '') : line) === word) break;
      end = stop < 0 ? scan.text.length : stop + 1;
    }
    if (!quoted) {
      const body = { text: scan.text.slice(start, end), at: 0, count: 0 };
      scanUntilBody(body, depth);
      scan.count += body.count;
    }
    const stop = scan.text.indexOf('\n', end);
    scan.at = stop < 0 ? scan.text.length : stop + 1;
  }
};

const scanUntilBody = (scan: Scan, depth: number): void => {
  // A double quote does not end a heredoc body: read on after each.
  while (scan.at < scan.text.length) scanUntil(scan, '"', depth + 1);
};
