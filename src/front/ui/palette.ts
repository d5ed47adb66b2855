import type { Back, Role } from './span.ts';

/** Colours by role: `#rrggbb`, or SGR parameters where the terminal's own sixteen are meant. Absent: the terminal's default. */
export interface Palette {
  readonly fore: Readonly<Partial<Record<Role, string>>>;
  readonly back: Readonly<Partial<Record<Back, string>>>;
}

const dark: Palette = {
  fore: {
    dim: '#979ea8',
    faint: '#6f7781',
    accent: '#9bc46f',
    user: '#cfe3b8',
    heading: '#b5d68f',
    code: '#e0b877',
    link: '#7fb2e5',
    quote: '#a3abb5',
    border: '#4d545c',
    ok: '#86c07a',
    warn: '#e3b65f',
    error: '#ea7a73',
    running: '#e3b65f',
    plan: '#66bfb8',
    edits: '#bb9fe6',
    danger: '#ea7a73',
    shell: '#e596b9',
    select: '#b5d68f',
    added: '#a8d8a0',
    removed: '#efa59f',
    lineNumber: '#6a717a',
    keyword: '#c3a1e0',
    string: '#a5c78b',
    number: '#dba27e',
    comment: '#78808a',
    function: '#8ab8e6',
    type: '#83c5bd',
    attribute: '#dcbb7c',
    meta: '#9aa3ad',
  },
  back: {
    addedLine: '#1d3224',
    addedWord: '#2f5b3b',
    removedLine: '#3b2224',
    removedWord: '#6d3236',
    match: '#6b5a1e',
    selected: '#2c333b',
  },
};

const light: Palette = {
  fore: {
    dim: '#69717b',
    faint: '#7f8690',
    accent: '#4b7f1f',
    user: '#2f5212',
    heading: '#3c6a17',
    code: '#8f5a00',
    link: '#1f62b0',
    quote: '#59616b',
    border: '#c3c9d0',
    ok: '#2f7d32',
    warn: '#8f6300',
    error: '#b93632',
    running: '#9a6a00',
    plan: '#0c7c76',
    edits: '#7440b8',
    danger: '#b93632',
    shell: '#a8326f',
    select: '#3c6a17',
    added: '#1f6b2a',
    removed: '#a32a2a',
    lineNumber: '#858c95',
    keyword: '#7a3fb0',
    string: '#3f7320',
    number: '#8a4010',
    comment: '#6f7781',
    function: '#1f62b0',
    type: '#0c7c76',
    attribute: '#8a6100',
    meta: '#69717b',
  },
  back: {
    addedLine: '#e0f3e1',
    addedWord: '#b4e1b8',
    removedLine: '#fbe4e3',
    removedWord: '#f7cac7',
    match: '#f5e19a',
    selected: '#e8ecef',
  },
};

/** Blue and orange instead of green and red. */
const colourBlind = (
  base: Palette,
  tone: {
    good: string;
    bad: string;
    goodText: string;
    badText: string;
    string: string;
    backs: readonly [string, string, string, string];
  },
): Palette => ({
  fore: {
    ...base.fore,
    accent: tone.good,
    user: tone.goodText,
    heading: tone.goodText,
    select: tone.goodText,
    ok: tone.good,
    error: tone.bad,
    danger: tone.bad,
    added: tone.goodText,
    removed: tone.badText,
    string: tone.string,
  },
  back: {
    ...base.back,
    addedLine: tone.backs[0],
    addedWord: tone.backs[1],
    removedLine: tone.backs[2],
    removedWord: tone.backs[3],
  },
});

const sixteen: Palette = {
  fore: {
    dim: '90',
    faint: '90',
    accent: '32',
    user: '32',
    heading: '32',
    code: '33',
    link: '34',
    quote: '90',
    border: '90',
    ok: '32',
    warn: '33',
    error: '31',
    running: '33',
    plan: '36',
    edits: '35',
    danger: '31',
    shell: '35',
    select: '32',
    added: '32',
    removed: '31',
    lineNumber: '90',
    keyword: '35',
    string: '32',
    number: '33',
    comment: '90',
    function: '34',
    type: '36',
    attribute: '33',
    meta: '90',
  },
  back: { match: '43', selected: '7' },
};

/** Legible on any background: for what is written before it is known which one there is. */
const either: Palette = {
  fore: { accent: '#6f9f45', dim: '#7d858f', faint: '#868d96', warn: '#b0842a', border: '#868d96' },
  back: {},
};

export const palettes = {
  either,
  dark,
  light,
  'dark-daltonized': colourBlind(dark, {
    good: '#5fa8e8',
    bad: '#f0994f',
    goodText: '#9cc9f2',
    badText: '#f5bb8a',
    string: '#83c5bd',
    backs: ['#16304a', '#24558a', '#402a12', '#7a4a16'],
  }),
  'light-daltonized': colourBlind(light, {
    good: '#0a5fa8',
    bad: '#b35a00',
    goodText: '#0a4a85',
    badText: '#8f4700',
    string: '#085a55',
    backs: ['#dcecfb', '#abd2f5', '#fdebd6', '#f7c893'],
  }),
  ansi: sixteen,
} as const satisfies Record<string, Palette>;
