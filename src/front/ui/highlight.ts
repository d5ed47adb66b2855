import { type Line, type Role, type Span, span } from './span.ts';

/** Colours code; answers nothing for a language it does not know. */
export type Highlighter = (code: string, language: string) => readonly Line[] | undefined;

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Node[];
}

/** Loads the highlighter; large, so only when the first code is on its way. */
export async function loadHighlighter(): Promise<Highlighter> {
  const { createLowlight, common } = await import('./highlight-languages.ts');
  const low = createLowlight(common);
  return (code, language) => {
    const name = aliases[language.toLowerCase()] ?? language.toLowerCase();
    if (code.length > 200_000 || !low.registered(name)) return undefined;
    const rows: Span[][] = [[]];
    paint(low.highlight(name, code) as Node, undefined, rows);
    return rows;
  };
}

/** The language of a file, by its name. */
export function languageOf(path: string): string {
  const file = path.split('/').at(-1) ?? '';
  if (/^(Dockerfile|Containerfile)/.test(file)) return 'bash';
  if (/^Makefile$/i.test(file)) return 'makefile';
  return file.includes('.') ? (file.split('.').at(-1) ?? '') : '';
}

const aliases: Readonly<Record<string, string>> = {
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsonc: 'json',
  json5: 'json',
  jsonl: 'json',
  zsh: 'bash',
  fish: 'bash',
  console: 'shell',
  shellsession: 'shell',
  vue: 'xml',
  svelte: 'xml',
  h: 'c',
  hpp: 'cpp',
  cc: 'cpp',
  toml: 'ini',
  patch: 'diff',
  kts: 'kotlin',
};

function paint(node: Node, role: Role | undefined, rows: Span[][]): void {
  if (node.type === 'text') {
    (node.value ?? '').split('\n').forEach((text, index) => {
      if (index > 0) rows.push([]);
      if (text !== '') rows.at(-1)?.push(span(text, role ? { role } : undefined));
    });
    return;
  }
  const classes = Array.isArray(node.properties?.className) ? node.properties.className.map(String) : [];
  const own = classes.map((name) => roles[name.replace(/^hljs-/, '')]).find((found) => found !== undefined);
  for (const child of node.children ?? []) paint(child, own ?? role, rows);
}

const roles: Readonly<Record<string, Role>> = {
  keyword: 'keyword',
  built_in: 'type',
  type: 'type',
  literal: 'number',
  number: 'number',
  operator: 'meta',
  punctuation: 'meta',
  property: 'attribute',
  regexp: 'string',
  string: 'string',
  char: 'string',
  subst: 'plain',
  symbol: 'number',
  class: 'type',
  function: 'function',
  variable: 'plain',
  title: 'function',
  params: 'plain',
  comment: 'comment',
  doctag: 'keyword',
  meta: 'meta',
  attr: 'attribute',
  attribute: 'attribute',
  name: 'keyword',
  section: 'heading',
  tag: 'meta',
  'selector-tag': 'keyword',
  'selector-class': 'type',
  'selector-id': 'type',
  bullet: 'accent',
  code: 'code',
  quote: 'comment',
  addition: 'added',
  deletion: 'removed',
  link: 'link',
};
