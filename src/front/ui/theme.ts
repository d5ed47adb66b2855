import { palettes } from './palette.ts';
import type { Back, Line, Role, Style } from './span.ts';

/** Themes a person can choose; `auto` looks at the terminal's background. */
export const themeNames = [
  'auto',
  'dark',
  'light',
  'dark-daltonized',
  'light-daltonized',
  'ansi',
  'none',
] as const;
export type ThemeName = (typeof themeNames)[number];
/** A person cannot choose `either`: it is for what is written before a choice is known. */
type Look = ThemeName | 'either';

/** 0 no colour, 1 the sixteen, 2 the 256, 3 true colour. */
export type ColorLevel = 0 | 1 | 2 | 3;

/** A palette made ready for one terminal. */
export interface Theme {
  readonly name: string;
  /** Whether attributes such as bold may be used; not on a dumb terminal. */
  readonly attributes: boolean;
  /** Whether links may be written as OSC 8. */
  readonly links: boolean;
  readonly fore: Readonly<Partial<Record<Role, string>>>;
  readonly back: Readonly<Partial<Record<Back, string>>>;
}

export interface ThemeRequest {
  readonly name: Look;
  readonly level: ColorLevel;
  /** What the terminal said of its background, for `auto`. */
  readonly background: 'dark' | 'light';
  readonly links: boolean;
  readonly attributes?: boolean;
}

export function makeTheme(request: ThemeRequest): Theme {
  const attributes = request.attributes ?? true;
  const base = { attributes, links: request.links };
  if (request.level === 0 || request.name === 'none') return { name: 'none', ...base, fore: {}, back: {} };
  const name = request.name === 'auto' ? request.background : request.name;
  const palette = palettes[request.level === 1 || name === 'ansi' ? 'ansi' : name];
  const fore: Partial<Record<Role, string>> = {};
  const back: Partial<Record<Back, string>> = {};
  for (const [role, color] of entries(palette.fore))
    if (color) fore[role] = code(color, frequent.has(role) && request.level === 3 ? 2 : request.level, 38);
  for (const [role, color] of entries(palette.back)) if (color) back[role] = code(color, request.level, 48);
  return { name, ...base, fore, back };
}

/** Code changes its colour every few letters: the nearest of the 256 takes half the bytes of a true colour. */
const frequent: ReadonlySet<Role> = new Set<Role>([
  'keyword',
  'string',
  'number',
  'comment',
  'function',
  'type',
  'attribute',
  'code',
]);

const entries = <K extends string, V>(record: Readonly<Partial<Record<K, V>>>): [K, V | undefined][] =>
  Object.entries(record) as [K, V | undefined][];

/** SGR parameters of a colour: `#rrggbb`, or parameters as they are for the sixteen. */
function code(color: string, level: ColorLevel, kind: 38 | 48): string {
  if (!color.startsWith('#')) return color;
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  if (level === 3) return `${kind};2;${r};${g};${b}`;
  return `${kind};5;${cube(r, g, b)}`;
}

/** Nearest of the 256 colours: the 6x6x6 cube or the grey ramp. */
function cube(r: number, g: number, b: number): number {
  const steps = [0, 95, 135, 175, 215, 255];
  const near = (value: number) =>
    steps.reduce(
      (best, step, index) => (Math.abs(step - value) < Math.abs((steps[best] ?? 0) - value) ? index : best),
      0,
    );
  const [cr, cg, cb] = [near(r), near(g), near(b)];
  const grey = Math.max(0, Math.min(23, Math.round(((r + g + b) / 3 - 8) / 10)));
  const level = 8 + grey * 10;
  const distance = (x: number, y: number, z: number) => (x - r) ** 2 + (y - g) ** 2 + (z - b) ** 2;
  const cubeDistance = distance(steps[cr] ?? 0, steps[cg] ?? 0, steps[cb] ?? 0);
  return distance(level, level, level) < cubeDistance ? 232 + grey : 16 + 36 * cr + 6 * cg + cb;
}

/** A line as the terminal reads it, in as few bytes as will do. It is closed at its end, so lines can stand anywhere. */
export function ansi(line: Line, theme: Theme): string {
  let out = '';
  let now = '';
  for (const piece of line) {
    if (piece.text === '') continue;
    // Blanks show a background and lines under or through them, but no colour of their own.
    const style = piece.style && showsOnBlanks(piece.style, piece.text) ? piece.style : undefined;
    const codes = style ? sgr(style, theme) : '';
    if (codes !== now) {
      // One colour simply replaces another; anything more is taken back first.
      out +=
        codes === ''
          ? '\x1b[0m'
          : foreOnly(now) && foreOnly(codes)
            ? `\x1b[${codes}m`
            : `${now === '' ? '' : '\x1b[0m'}\x1b[${codes}m`;
      now = codes;
    }
    out += style?.link && theme.links ? `\x1b]8;;${style.link}\x1b\\${piece.text}\x1b]8;;\x1b\\` : piece.text;
  }
  return now === '' ? out : `${out}\x1b[0m`;
}

const showsOnBlanks = (style: Style, text: string): boolean =>
  Boolean(style.back || style.underline || style.strike || style.inverse || style.link) || text.trim() !== '';
const foreOnly = (codes: string): boolean => /^(38;[25];[\d;]+|3[0-7]|9[0-7])$/.test(codes);

export const ansiLines = (lines: readonly Line[], theme: Theme): string =>
  lines.map((line) => ansi(line, theme)).join('\n');

function sgr(style: Style, theme: Theme): string {
  const codes: string[] = [];
  if (theme.attributes) {
    if (style.bold) codes.push('1');
    if (style.italic) codes.push('3');
    if (style.underline) codes.push('4');
    if (style.inverse) codes.push('7');
    if (style.strike) codes.push('9');
    // Without colour, what a palette would grey is made faint, and what it would tint inverse.
    if (theme.name === 'none' && (style.role === 'dim' || style.role === 'faint' || style.role === 'comment'))
      codes.push('2');
    if (theme.name === 'none' && (style.back === 'selected' || style.back === 'match')) codes.push('7');
  }
  const fore = style.role ? theme.fore[style.role] : undefined;
  if (fore) codes.push(fore);
  const back = style.back ? theme.back[style.back] : undefined;
  if (back) codes.push(back);
  return codes.join(';');
}

/** How many colours a terminal shows, from its environment (NO_COLOR, FORCE_COLOR, COLORTERM, TERM). */
export function colorLevel(env: Readonly<Record<string, string | undefined>>): ColorLevel {
  if (env.NO_COLOR) return 0;
  const forced = env.FORCE_COLOR;
  if (forced === '0' || forced === 'false') return 0;
  if (forced === '1' || forced === '2' || forced === '3') return Number(forced) as ColorLevel;
  const term = env.TERM ?? '';
  if (term === 'dumb') return 0;
  if (
    /^(truecolor|24bit)$/i.test(env.COLORTERM ?? '') ||
    /direct|kitty|ghostty|alacritty|wezterm/.test(term) ||
    env.WT_SESSION
  )
    return 3;
  if (/256/.test(term) || env.TERM_PROGRAM === 'Apple_Terminal') return 2;
  return term === '' && !forced ? 0 : 1;
}

/** Terminals known to show OSC 8 links; elsewhere the address stands beside the text. */
export const showsLinks = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env.FORCE_HYPERLINK === '1' ||
  (env.FORCE_HYPERLINK === undefined &&
    !env.TMUX &&
    (/^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|rio|zed)$/.test(env.TERM_PROGRAM ?? '') ||
      /kitty|ghostty|foot|alacritty/.test(env.TERM ?? '') ||
      Boolean(env.WT_SESSION) ||
      Number(env.VTE_VERSION ?? 0) >= 5000));

/** Dark or light from COLORFGBG (`15;0`: the last number is the background); dark when nothing is known. */
export function backgroundFrom(env: Readonly<Record<string, string | undefined>>): 'dark' | 'light' {
  const last = env.COLORFGBG?.split(';').at(-1);
  return last === '7' || last === '15' ? 'light' : 'dark';
}
