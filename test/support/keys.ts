const NAMED: Readonly<Record<string, string>> = {
  esc: '\x1b',
  enter: '\r',
  tab: '\t',
  space: ' ',
  backspace: '\x7f',
  delete: '\x1b[3~',
  insert: '\x1b[2~',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  'shift+tab': '\x1b[Z',
  'shift+enter': '\x1b[13;2u',
  'ctrl+enter': '\x1b[13;5u',
  'ctrl+space': '\0',
  'ctrl+backspace': '\x08',
  'alt+backspace': '\x1b\x7f',
  'ctrl+/': '\x1f',
  'ctrl+_': '\x1f',
  'ctrl+\\': '\x1c',
  'ctrl+]': '\x1d',
};

const ARROWS: Readonly<Record<string, string>> = {
  up: 'A',
  down: 'B',
  right: 'C',
  left: 'D',
  home: 'H',
  end: 'F',
};
const MODIFIERS: Readonly<Record<string, number>> = { shift: 2, alt: 3, ctrl: 5 };

/**
 * The bytes a terminal sends for a key: a name (`esc`, `up`, `pagedown`), `ctrl+c`, `alt+b`, `shift+tab`,
 * `ctrl+left`, or a single character. `shift+enter` is sent as terminals with the kitty protocol do.
 */
export const bytesOf = (key: string): string => {
  const known = NAMED[key] ?? (Array.from(key).length === 1 ? key : undefined);
  if (known !== undefined) return known;
  const [modifier = '', rest = ''] = key.split(/\+(.*)/s);
  const arrow = ARROWS[rest];
  if (arrow && MODIFIERS[modifier]) return `\x1b[1;${MODIFIERS[modifier]}${arrow}`;
  if (modifier === 'ctrl' && /^[a-z]$/.test(rest)) return String.fromCharCode(rest.charCodeAt(0) - 96);
  if (modifier === 'alt') return `\x1b${bytesOf(rest)}`;
  throw new TypeError(`No key is called "${key}".`);
};
