/** How people write the values of a definition: each form gives the lines, and what they mean, by construction. */

/** Numbers from a seed, so that a failure can be had again. */
export interface Dice {
  /** Whole, from 0 to below `below`. */
  below(below: number): number;
  pick<T>(all: readonly T[]): T;
  words(count: number): string;
}

const WORDS =
  'garden wall review deploy query schema branch the of when it is asked for careful tests plan über café data model release note'.split(
    ' ',
  );
const OTHER_SCRIPTS = ['数据库设计', 'кодовая база', 'مراجعة الكود', '🚀 launch', 'テストを書く'];

export const dice = (seed: number): Dice => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(all: readonly T[]): T => {
    const one = all[below(all.length)];
    if (one === undefined) throw new Error('Nothing to pick from.');
    return one;
  };
  const words = (count: number): string => Array.from({ length: count }, () => pick(WORDS)).join(' ');
  return { below, pick, words };
};

/** The lines of one key, what a reader should understand, and what should be said to be repaired. */
export interface Form<T> {
  readonly lines: string;
  readonly means: T;
  readonly repair?: RegExp;
}
export type Forms<T> = Readonly<Record<string, (at: Dice) => Form<T>>>;

const repaired = (key: string): RegExp => new RegExp(`The value of [^.]*\\b${key}\\b[^.]* is not plain YAML`);
const text = (lines: string, means: string): Form<string> => ({ lines, means });
const mended = (lines: string, means: string): Form<string> => ({
  lines,
  means,
  repair: repaired('description'),
});
const sentence = (at: Dice): string => `Uses ${at.words(3 + at.below(6))} to ${at.words(2)}.`;

/** The body of every file begins with it. */
export const FIRST_PARAGRAPH = 'You do what is asked.';

/** Descriptions, by trap. Blanks and line ends between words do not count when they are compared. */
export const descriptions: Forms<string> = {
  plain: (at) => {
    const one = sentence(at);
    return text(`description: ${one}`, one);
  },
  'double quotes': (at) => {
    const one = sentence(at);
    return text(`description: "${one} Say \\"yes\\": it is ${one}"`, `${one} Say "yes": it is ${one}`);
  },
  'single quotes': (at) => {
    const one = sentence(at);
    return text(`description: '${one} It''s: ${one}'`, `${one} It's: ${one}`);
  },
  'a block of lines': (at) => {
    const [one, two] = [sentence(at), sentence(at)];
    const header = at.pick(['|', '|-', '>', '>-']);
    return text(`description: ${header}\n  ${one}\n  Examples: ${two}`, `${one} Examples: ${two}`);
  },
  'folded lines': (at) => {
    const [one, two] = [sentence(at), sentence(at)];
    return text(`description: ${one}\n  ${two}`, `${one} ${two}`);
  },
  'a colon and a blank': (at) => {
    const one = `${sentence(at)} ${at.pick(["Triggers on: 'x'", 'Examples: a, b', 'Specifically: this', 'Use when: asked'])} ${at.words(2)}`;
    return mended(`description: ${one}`, one);
  },
  'a colon at the end': (at) => {
    const one = `${sentence(at)} Use it for:`;
    return mended(`description: ${one}`, one);
  },
  'dialogue at the margin': (at) => {
    const one = `${sentence(at)} Examples:`;
    const rows = [
      '<example>',
      `Context: ${at.words(4)}`,
      `user: "${at.words(5)}"`,
      `assistant: "${at.words(4)}: ${at.words(3)}"`,
      '<commentary>',
      at.words(6),
      '</commentary>',
      '</example>',
    ];
    return mended(`description: ${one}\n${rows.join('\n')}`, [one, ...rows].join(' '));
  },
  'a paragraph at the margin': (at) => {
    const [one, two] = [sentence(at), `${at.pick(OTHER_SCRIPTS)} ${at.pick(OTHER_SCRIPTS)}`];
    return mended(`description: ${one}\n${two}`, `${one} ${two}`);
  },
  'a first sign that YAML keeps': (at) => {
    const one = `${at.pick(['@', '`', '%', '*', '&', '!'])}${at.words(1)} ${sentence(at)}`;
    return mended(`description: ${one}`, one);
  },
  'a bracket first': (at) => {
    const one = `[${at.words(1)}] ${sentence(at)}`;
    return mended(`description: ${one}`, one);
  },
  'a number sign': (at) => {
    const one = `${sentence(at)} Fixes #12 and C # ${at.words(2)}`;
    return mended(`description: ${one}`, one);
  },
  'literal line marks': (at) => {
    const one = `${sentence(at)}\\n\\nExamples of ${at.words(2)}`;
    return text(`description: ${one}`, one);
  },
  'other scripts': (at) => {
    const one = `${at.pick(OTHER_SCRIPTS)} ${sentence(at)} ${at.pick(OTHER_SCRIPTS)}`;
    return text(`description: ${one}`, one);
  },
  missing: () => ({ lines: '', means: FIRST_PARAGRAPH, repair: /first paragraph is taken/ }),
  empty: () => ({ lines: 'description: ""', means: FIRST_PARAGRAPH, repair: /first paragraph is taken/ }),
  'very long': (at) => {
    const one = Array.from({ length: 60 + at.below(140) }, () => sentence(at)).join(' ');
    return text(`description: ${one}`, one);
  },
};

const TOOLS = ['Read', 'Write', 'Edit', 'Grep', 'Glob', 'Bash', 'WebFetch', 'WebSearch', 'TodoWrite', 'Task'];
const RULES = [
  'Bash(gh *)',
  'Bash(git log *)',
  'Bash(cmd:psql,cmd:mysql)',
  'Agent(a:b, c:d)',
  'Bash(npm run x:*)',
];

const some = (at: Dice, from: readonly string[]): readonly string[] => [
  ...new Set(Array.from({ length: 2 + at.below(3) }, () => at.pick(from))),
];

/** `key` is `tools` of an agent, `allowed-tools` of skills and commands. `means` is undefined where nothing is said. */
export const toolForms = (key: string): Forms<readonly string[] | undefined> => ({
  none: () => ({ lines: '', means: undefined }),
  null: () => ({ lines: `${key}:`, means: undefined }),
  empty: () => ({ lines: `${key}: []`, means: [] }),
  one: (at) => {
    const one = at.pick(TOOLS);
    return { lines: `${key}: ${one}`, means: [one] };
  },
  commas: (at) => {
    const all = some(at, [...TOOLS, ...RULES]);
    return { lines: `${key}: ${all.join(at.pick([',', ', ']))}`, means: all };
  },
  blanks: (at) => {
    const all = some(at, [...TOOLS, ...RULES]);
    return { lines: `${key}: ${all.join(' ')}`, means: all };
  },
  'a flow list': (at) => {
    const all = some(at, TOOLS);
    return { lines: `${key}: [${all.join(', ')}]`, means: all };
  },
  'a torn flow list': (at) => {
    const all = [...some(at, RULES), 'Read'];
    return { lines: `${key}: [${all.join(', ')}]`, means: all };
  },
  'a block list': (at) => {
    const all = some(at, [...TOOLS, ...RULES]);
    return { lines: [`${key}:`, ...all.map((one) => `  - ${one}`)].join('\n'), means: all };
  },
  'a list on the line of its key': (at) => {
    const one = at.pick(TOOLS);
    return { lines: `${key}: - ${one}`, means: [one], repair: repaired(key) };
  },
  'a star': () => ({ lines: `${key}: *`, means: ['*'], repair: repaired(key) }),
  'of servers': () => ({
    lines: `${key}: mcp__github__*, mcp__prompt-to-asset, Read`,
    means: ['mcp__github__*', 'mcp__prompt-to-asset', 'Read'],
  }),
});

export const models: Forms<string | undefined> = {
  none: () => ({ lines: '', means: undefined }),
  null: () => ({ lines: 'model:', means: undefined }),
  alias: (at) => {
    const one = at.pick(['sonnet', 'opus', 'haiku', 'inherit', 'small', 'large']);
    return { lines: `model: ${one}`, means: one };
  },
  id: (at) => {
    const one = at.pick(['claude-opus-4-6', 'claude-sonnet-4-0', 'gpt-4o', 'fable']);
    return { lines: `model: "${one}"`, means: one };
  },
  'a display name': () => ({ lines: 'model: Claude Sonnet 4.5', means: 'Claude Sonnet 4.5' }),
};

/** Names as files have them; `undefined` leaves the key out. */
export const names: Forms<string | undefined> = {
  plain: (at) => {
    const one = `${at.pick(WORDS)}-${at.below(1000)}`;
    return { lines: `name: ${one}`, means: one };
  },
  missing: () => ({ lines: '', means: undefined, repair: /There is no name/ }),
  'blanks and capitals': (at) => {
    const one = `${at.pick(['Cloudinary', 'Release'])} Automation ${at.below(1000)}`;
    return { lines: `name: ${one}`, means: one };
  },
  slashes: (at) => {
    const one = `Building CI/CD Pipelines ${at.below(1000)}`;
    return { lines: `name: ${one}`, means: one };
  },
  colons: (at) => {
    const one = `sc:index-${at.below(1000)}`;
    return { lines: `name: ${one}`, means: one };
  },
  'a colon and a blank': (at) => {
    const one = `Observability: ${at.words(2)} ${at.below(1000)}`;
    return { lines: `name: ${one}`, means: one, repair: repaired('name') };
  },
  'signs between': (at) => {
    const one = `my_agent.v${at.below(1000)}`;
    return { lines: `name: ${one}`, means: one };
  },
  'another script': (at) => {
    const one = `${at.pick(OTHER_SCRIPTS)} ${at.below(1000)}`;
    return { lines: `name: ${one}`, means: one };
  },
};

export const hints: Forms<string | undefined> = {
  none: () => ({ lines: '', means: undefined }),
  quoted: () => ({ lines: 'argument-hint: "[file] [--all]"', means: '[file] [--all]' }),
  'one in brackets': () => ({ lines: 'argument-hint: [task]', means: '[task]', repair: /argument-hint/ }),
  'two in brackets': () => ({ lines: 'argument-hint: [a] [b]', means: '[a] [b]', repair: /argument-hint/ }),
  'a bar and a flag': () => ({
    lines: 'argument-hint: [a] | --flag',
    means: '[a] | --flag',
    repair: /argument-hint/,
  }),
  'a bar in brackets': () => ({ lines: 'argument-hint: [a|b]', means: '[a|b]', repair: /argument-hint/ }),
};
