import type { LanguageFn } from 'highlight.js';
import { type Line, type Role, type Span, span } from './span.ts';

/** Colours code; answers nothing for a language it does not know. */
export type Highlighter = (code: string, language: string) => readonly Line[] | undefined;

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Node[];
}

type Painter = ReturnType<typeof import('./highlight-core.ts').emptyLowlight>;

export interface Colours {
  /** Paints what it can by now and sends for the grammar of what it cannot. A new function after every arrival. */
  painter(): Highlighter;
  /** Sends for a language; nothing when it is there, unknown or not to be had. */
  load(language: string): Promise<void> | undefined;
}

/** Grammars are loaded one by one, when the first code in them is on its way: all at once would stop the keys. */
export function createColours(arrived: () => void): Colours {
  const asked = new Map<string, Promise<void> | 'there' | 'failed'>();
  let core: Promise<Painter> | undefined;
  let low: Painter | undefined;

  const fetched = async (name: string, grammar: Grammar): Promise<void> => {
    try {
      // Several languages come at the same time: all of them go into one painter.
      core ??= import('./highlight-core.ts').then(({ emptyLowlight }) => emptyLowlight());
      const painter = await core;
      painter.register({ [name]: (await grammar()).default });
      low = painter;
      asked.set(name, 'there');
    } catch {
      // Code without colours is still code.
      asked.set(name, 'failed');
    }
    arrived();
  };

  const load = (language: string): Promise<void> | undefined => {
    const name = nameOf(language);
    const grammar = grammars[name];
    const now = asked.get(name);
    if (!grammar || now === 'there' || now === 'failed') return undefined;
    if (now) return now;
    const coming = fetched(name, grammar);
    asked.set(name, coming);
    return coming;
  };

  return {
    load,
    painter: () => (code, language) => {
      const name = nameOf(language);
      if (code.length > 200_000 || load(language) || asked.get(name) !== 'there' || !low) return undefined;
      try {
        const rows: Span[][] = [[]];
        paint(low.highlight(name, code) as Node, undefined, rows, name === 'bash');
        return rows;
      } catch {
        // A grammar that stumbles over a text must not take the screen down.
        return undefined;
      }
    },
  };
}

const nameOf = (language: string): string => aliases[language.toLowerCase()] ?? language.toLowerCase();

/** The language of a file, by its name. */
export function languageOf(path: string): string {
  const file = path.split('/').at(-1) ?? '';
  if (/^(Dockerfile|Containerfile)/.test(file)) return 'dockerfile';
  if (/^Makefile$/i.test(file)) return 'makefile';
  return file.includes('.') ? (file.split('.').at(-1) ?? '') : '';
}

const aliases: Readonly<Record<string, string>> = {
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsonc: 'json',
  json5: 'json',
  jsonl: 'json',
  sh: 'bash',
  zsh: 'bash',
  fish: 'bash',
  console: 'shell',
  shellsession: 'shell',
  html: 'xml',
  svg: 'xml',
  vue: 'xml',
  svelte: 'xml',
  h: 'c',
  hpp: 'cpp',
  cc: 'cpp',
  cxx: 'cpp',
  'c++': 'cpp',
  cs: 'csharp',
  toml: 'ini',
  patch: 'diff',
  kt: 'kotlin',
  kts: 'kotlin',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  yml: 'yaml',
  md: 'markdown',
  mk: 'makefile',
  pl: 'perl',
  ex: 'elixir',
  exs: 'elixir',
  golang: 'go',
  gql: 'graphql',
  objc: 'objectivec',
};

type Grammar = () => Promise<{ readonly default: LanguageFn }>;

const grammars: Readonly<Record<string, Grammar>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  elixir: () => import('highlight.js/lib/languages/elixir'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  nix: () => import('highlight.js/lib/languages/nix'),
  objectivec: () => import('highlight.js/lib/languages/objectivec'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  scss: () => import('highlight.js/lib/languages/scss'),
  shell: () => import('highlight.js/lib/languages/shell'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

function paint(node: Node, role: Role | undefined, rows: Span[][], shell: boolean): void {
  if (node.type === 'text') {
    (node.value ?? '').split('\n').forEach((text, index) => {
      if (index > 0) rows.push([]);
      if (text !== '') rows.at(-1)?.push(span(text, role ? { role } : undefined));
    });
    return;
  }
  const classes = Array.isArray(node.properties?.className) ? node.properties.className.map(String) : [];
  const own = classes
    .filter((name) => !shell || name !== 'hljs-built_in' || commandComes(rows.at(-1) ?? []))
    .map((name) => roles[name.replace(/^hljs-/, '')])
    .find((found) => found !== undefined);
  for (const child of node.children ?? []) paint(child, own ?? role, rows, shell);
}

/** In a shell the name of a builtin (`test`) is one only where a command stands; elsewhere it is an argument. */
const commandComes = (row: readonly Span[]): boolean =>
  /(?:^|[|&;({`]|\b(?:do|then|else|sudo|time))\s*$/.test(row.map(({ text }) => text).join(''));

const roles: Readonly<Record<string, Role>> = {
  keyword: 'keyword',
  built_in: 'type',
  type: 'type',
  literal: 'number',
  number: 'number',
  operator: 'plain',
  punctuation: 'plain',
  property: 'plain',
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
