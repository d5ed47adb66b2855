/** Definition files with the traps that people's files hold, and what each must be read as. */
import {
  type Dice,
  descriptions,
  FIRST_PARAGRAPH,
  type Form,
  type Forms,
  hints,
  models,
  names,
  toolForms,
} from './trap-forms.ts';

export type Kind = 'skill' | 'agent' | 'command';

export interface TrapFile {
  /** Kind and traps, for messages. */
  readonly about: string;
  readonly kind: Kind;
  /** Below a home such as `.claude`. */
  readonly path: string;
  readonly content: Buffer;
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[] | undefined;
  readonly model: string | undefined;
  readonly hint: string | undefined;
  readonly license: string | undefined;
  /** What must be named as repaired. */
  readonly repairs: readonly RegExp[];
}

interface Written {
  readonly head: string;
  readonly body: string;
}

/** What befalls a file as a whole. */
const wholes: Readonly<
  Record<string, { readonly repair?: RegExp; make(parts: Written, at: Dice): string | Buffer }>
> = {
  plain: { make: ({ head, body }) => `---\n${head}\n---\n\n${body}` },
  'a byte-order mark': { repair: /byte-order/, make: ({ head, body }) => `\ufeff---\n${head}\n---\n${body}` },
  'Windows line ends': {
    repair: /Windows line ends/,
    make: ({ head, body }) => `---\n${head}\n---\n\n${body}`.replaceAll('\n', '\r\n'),
  },
  'mixed line ends': {
    repair: /Windows line ends/,
    make: ({ head, body }) => `---\r\n${head}\n---\r\n\n${body}`,
  },
  'UTF-16': {
    repair: /UTF-16/,
    make: ({ head, body }) => Buffer.from(`\ufeff---\n${head}\n---\n${body}`, 'utf16le'),
  },
  'a code fence': {
    repair: /code fence/,
    make: ({ head, body }) => `\`\`\`markdown\n---\n${head}\n---\n\n${body}\n\`\`\`\n`,
  },
  'an unclosed head': {
    repair: /closed|end/i,
    make: ({ head, body }) => `---\n${head}\n\n# Title\n\n${body}`,
  },
  'rules in the body': {
    make: ({ head, body }) => `---\n${head}\n---\n\n${body}\n\n---\nname: other\n---\n`,
  },
  'blanks behind the marks': { make: ({ head, body }) => `---  \n${head}\n--- \n${body}` },
  'a doubled key': {
    repair: /more than once/,
    make: ({ head, body }) => `---\ncolor: red\n${head}\ncolor: blue\n---\n${body}`,
  },
  'other keys': {
    make: ({ head, body }) =>
      `---\n${head}\nversion: 1.0\ndate_added: 2026-02-27\nmetadata:\nrisk: low\n---\n${body}`,
  },
};

/** Which form a file takes of each; those not named are chosen by the dice among the harmless ones. */
export interface Choice {
  readonly description?: string;
  readonly tools?: string;
  readonly model?: string;
  readonly name?: string;
  readonly hint?: string;
  readonly whole?: string;
  readonly place?: string;
}

const harmless: Readonly<Record<keyof Choice, readonly string[]>> = {
  description: ['plain', 'double quotes', 'single quotes', 'folded lines'],
  tools: ['none', 'commas', 'a flow list'],
  model: ['none', 'alias', 'id'],
  name: ['plain'],
  hint: ['none', 'quoted'],
  whole: ['plain'],
  place: ['plain'],
};

const formOf = <T>(forms: Forms<T>, which: string, at: Dice): Form<T> => {
  const make = forms[which];
  if (!make) throw new Error(`There is no form "${which}".`);
  return make(at);
};

const bodyText = `${FIRST_PARAGRAPH}\n\nFirst you look.`;

/** Where files lie, by kind; `stem` is what they are called without a name of their own. */
const places: Readonly<Record<Kind, Readonly<Record<string, (stem: string) => string>>>> = {
  skill: {
    plain: (stem) => `skills/${stem}/SKILL.md`,
    'folders deep': (stem) => `skills/group/of/many/${stem}/SKILL.md`,
    'in upper case': (stem) => `skills/${stem}/SKILL.MD`,
    loose: (stem) => `skills/${stem}.md`,
  },
  agent: { plain: (stem) => `agents/${stem}.md`, 'folders deep': (stem) => `agents/team/inner/${stem}.md` },
  command: { plain: (stem) => `commands/${stem}.md`, 'folders deep': (stem) => `commands/git/${stem}.md` },
};

/** One file: number `n` keeps names and places apart. */
const fileOf = (kind: Kind, n: number, choice: Choice, at: Dice): TrapFile => {
  const of = (key: keyof Choice): string => choice[key] ?? at.pick(harmless[key]);
  const chosen = {
    description: of('description'),
    tools: of('tools'),
    model: of('model'),
    name: of('name'),
    hint: kind === 'agent' ? 'none' : of('hint'),
    whole: of('whole'),
    place: choice.place !== undefined && choice.place in places[kind] ? choice.place : 'plain',
  };
  const name = formOf(names, chosen.name, at);
  const description = formOf(descriptions, chosen.description, at);
  const tools = formOf(toolForms(kind === 'agent' ? 'tools' : 'allowed-tools'), chosen.tools, at);
  const model = formOf(models, chosen.model, at);
  const hint = formOf(hints, chosen.hint, at);
  const whole = wholes[chosen.whole];
  if (!whole) throw new Error(`There is no form "${chosen.whole}".`);
  // Examples often stand before the rest: what follows them must not be lost.
  const rows = [name.lines, description.lines, tools.lines, model.lines, hint.lines, 'license: MIT'];
  const head = rows.filter((one) => one !== '').join('\n');
  const stem = `${kind}-${n}`;
  const path = places[kind][chosen.place]?.(stem) ?? '';
  const forms = [
    kind === 'command' && chosen.name === 'missing' ? undefined : name,
    description,
    tools,
    model,
    hint,
  ];
  return {
    about: `${kind}: ${Object.entries(chosen)
      .map(([key, value]) => `${key} ${value}`)
      .join(', ')}`,
    kind,
    path,
    content: Buffer.from(whole.make({ head, body: bodyText }, at)),
    name: name.means ?? stem,
    description: description.means,
    tools: tools.means,
    model: model.means,
    hint: hint.means,
    license: 'MIT',
    repairs: [...forms.map((form) => form?.repair), whole.repair].filter((one) => one !== undefined),
  };
};

/** A file that is all text: it is called like its place, and its first paragraph says what it is for. */
const bareFile = (kind: Kind, n: number, at: Dice): TrapFile => {
  const stem = `${kind}-${n}`;
  const said = `Helps with ${at.words(5)}.`;
  return {
    about: `${kind}: no head`,
    kind,
    path: places[kind].plain?.(stem) ?? '',
    content: Buffer.from(`# ${at.words(2)}\n\n${said}\n\n---\n\nname: other\n`),
    name: stem,
    description: said,
    tools: undefined,
    model: undefined,
    hint: undefined,
    license: undefined,
    repairs: [/no frontmatter/],
  };
};

const KINDS: readonly Kind[] = ['skill', 'agent', 'command'];

/** Every single trap, `times` files for each kind. */
export const singleTraps = (times: number, at: Dice): readonly TrapFile[] => {
  const choices: readonly Choice[] = [
    ...Object.keys(descriptions).map((description) => ({ description })),
    ...Object.keys(toolForms('tools')).map((tools) => ({ tools })),
    ...Object.keys(models).map((model) => ({ model })),
    ...Object.keys(names).map((name) => ({ name })),
    ...Object.keys(hints).map((hint) => ({ hint })),
    ...Object.keys(wholes).map((whole) => ({ whole })),
    ...['folders deep', 'in upper case', 'loose'].map((place) => ({ place })),
  ];
  let n = 0;
  return KINDS.flatMap((kind) => [
    ...Array.from({ length: times }, () => {
      n += 1;
      return bareFile(kind, n, at);
    }),
    ...choices
      .filter(
        ({ hint, place }) => (hint === undefined || kind !== 'agent') && (place ?? 'plain') in places[kind],
      )
      .flatMap((choice) =>
        Array.from({ length: times }, () => {
          n += 1;
          return fileOf(kind, n, choice, at);
        }),
      ),
  ]);
};

/** Files in which anything may come together. */
export const mixedTraps = (count: number, at: Dice): readonly TrapFile[] =>
  Array.from({ length: count }, (_, n) =>
    fileOf(
      at.pick(KINDS),
      100_000 + n,
      {
        description: at.pick(Object.keys(descriptions)),
        tools: at.pick(Object.keys(toolForms('tools'))),
        model: at.pick(Object.keys(models)),
        name: at.pick(Object.keys(names)),
        hint: at.pick(Object.keys(hints)),
        whole: at.pick(Object.keys(wholes)),
        place: at.pick(['plain', 'plain', 'folders deep', 'in upper case', 'loose']),
      },
      at,
    ),
  );
