/** What the practice model understands of a typed request. */
export type Wish =
  | { readonly kind: 'look' }
  | { readonly kind: 'read'; readonly file: string }
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'replace'; readonly file: string; readonly before: string; readonly after: string }
  | { readonly kind: 'create'; readonly file: string; readonly content: string }
  | { readonly kind: 'question' }
  | { readonly kind: 'plan'; readonly goal: string }
  | { readonly kind: 'tasks'; readonly goal: string }
  | { readonly kind: 'agent' }
  /** The person ran a command with `!`; its output came along. */
  | { readonly kind: 'ran'; readonly command: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'unknown' };

const QUOTES = /^(["'`“‘«])([\s\S]*)(["'`”’»])$/;

/** Without the quotes around it and the dot behind it. */
const bare = (text: string | undefined): string => {
  const trimmed = (text ?? '').trim();
  return QUOTES.exec(trimmed)?.[2] ?? trimmed;
};

/** A file name: no quotes, and no full stop or question mark that belongs to the sentence. */
const fileIn = (text: string | undefined): string =>
  bare((text ?? '').trim().replace(/[.?!]+$/, '')).replace(/^@/, '');

type Rule = readonly [pattern: RegExp, wish: (groups: Readonly<Record<string, string | undefined>>) => Wish];

/** Tried in order; the first match wins. */
const RULES: readonly Rule[] = [
  [
    /^The user ran a command themselves:\s*<bash-input>(?<command>[\s\S]*?)<\/bash-input>/,
    ({ command }) => ({ kind: 'ran', command: bare(command) }),
  ],
  [
    /^(what can you do|help|what do you understand|who are you|what are you|hello|hi|hey)\b/i,
    () => ({ kind: 'help' }),
  ],
  [
    /^(?:run|execute)(?: the command| command)?:?\s+(?<command>[\s\S]+)$/i,
    ({ command }) => ({ kind: 'run', command: bare(command) }),
  ],
  [/^[!$]\s*(?<command>[\s\S]+)$/, ({ command }) => ({ kind: 'run', command: bare(command) })],
  [
    /^(?:change|replace)\s+(?<before>"[^"]+"|'[^']+'|`[^`]+`|[\s\S]+?)\s+(?:to|with|by|into)\s+(?<after>"[^"]*"|'[^']*'|`[^`]*`|[\s\S]+?)\s+in\s+(?<file>\S+)$/i,
    ({ before, after, file }) => ({
      kind: 'replace',
      before: bare(before),
      after: bare(after),
      file: fileIn(file),
    }),
  ],
  [
    /^(?:create|write|make)\s+(?:a\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?(?<file>"[^"]+"|'[^']+'|`[^`]+`|\S*[./]\S*)(?:\s*(?:with(?:\s+the)?(?:\s+(?:text|content|contents))?|containing|that says|:)\s*(?<content>[\s\S]+))?$/i,
    ({ file, content }) => ({ kind: 'create', file: fileIn(file), content: bare(content) }),
  ],
  [/\bask me\b|\bask (?:a|some) questions?\b/i, () => ({ kind: 'question' })],
  [
    /\b(?:task list|to-?do list|list of tasks|make tasks)\b(?:\s+(?:for|to|about)\s+(?<goal>[\s\S]+))?/i,
    ({ goal }) => ({ kind: 'tasks', goal: fileIn(goal) }),
  ],
  [
    /^(?:make|write|draw up)?\s*(?:a\s+|me\s+a\s+)?plan\b(?:\s+(?:for|to|how to|something|a|an|the))*\s*(?<goal>[\s\S]*)$/i,
    ({ goal }) => ({ kind: 'plan', goal: fileIn(goal) }),
  ],
  [/\b(?:sub-?agent|an agent|agents)\b/i, () => ({ kind: 'agent' })],
  [
    /^(?:read|show|open|print|cat|look at|look into)(?:\s+me)?(?:\s+the)?(?:\s+file)?\s+(?<file>"[^"]+"|'[^']+'|`[^`]+`|@?\S+?)[.?!]*$/i,
    ({ file }) => ({ kind: 'read', file: fileIn(file) }),
  ],
  [
    /^(?:search|grep|find|look)(?:\s+the\s+\w+)?(?:\s+for)?(?:\s+the\s+(?:text|word|words))?\s+(?<text>"[^"]+"|'[^']+'|`[^`]+`|[\s\S]+)$/i,
    ({ text }) =>
      /^(around|here|at what)/i.test(text ?? '') ? { kind: 'look' } : { kind: 'search', text: bare(text) },
  ],
  [
    /\blook around\b|\blist\b.*\bfiles\b|\bwhat(?:'s| is| files are)?\b.*\b(?:here|there|project|repo(?:sitory)?|folder|directory)\b|\bexplore\b|\boverview\b|^ls$/i,
    () => ({ kind: 'look' }),
  ],
  [/^where(?: is| are|'s)\s+(?<text>[\s\S]+)$/i, ({ text }) => ({ kind: 'search', text: fileIn(text) })],
];

/** Reads a request in plain English: a handful of sentences, nothing clever. */
export const understand = (request: string): Wish => {
  const said = request
    .trim()
    .replace(/^(please|could you|can you|would you|now|then|and)[,\s]+/gi, '')
    .trim();
  for (const [pattern, wish] of RULES) {
    const found = pattern.exec(said);
    if (found) return wish(found.groups ?? {});
  }
  return { kind: 'unknown' };
};

export const abilities: readonly (readonly [example: string, effect: string])[] = [
  ['look around', 'lists the files here and opens the README'],
  ['read FILE', 'opens a file'],
  ['search TEXT', 'finds a text in the files'],
  ['run COMMAND', 'runs a shell command, after asking you'],
  ['change OLD to NEW in FILE', 'edits a file, after showing you the change'],
  ['create FILE with TEXT', 'writes a new file'],
  ['ask me a question', 'shows how you are asked to choose'],
  ['plan something', 'goes into plan mode and puts a plan before you'],
  ['make a task list', 'makes three tasks and works through them'],
  ['send an agent', 'has a sub-agent look around'],
];
