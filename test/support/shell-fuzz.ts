// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text
/** Makes shell scripts out of a grammar and damages some of them. Everything follows from the seed. */

export type Random = () => number;

/** mulberry32: small, fast, the same everywhere. */
export const seeded = (seed: number): Random => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
};

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

/** `good` and its like are allowed, `evil` is not; all are stubs. */
const names = [
  'good',
  'good',
  'good',
  'echo',
  'cat',
  ':',
  'true',
  'evil',
  'command',
  'timeout 5',
  'nice',
  'env',
  'xargs',
  'time',
  '! ',
  'builtin',
  'exec',
  'eval',
  'sh -c',
  'bash -c',
];
const spelledEvil = [
  'evil',
  'e\\vil',
  "'evil'",
  'ev""il',
  "$'evil'",
  "$'\\x65vil'",
  'e\\\nvil',
  '"evil"',
  '$evil',
  '${x:-evil}',
  'e{vil,}',
  'ev[i]l',
  '$(echo evil)',
  'ev$z"il"',
  'ev<()il',
  'ev$()il',
  '{,evil}',
  'ev$\\\n"il"',
];
const plain = [
  'a',
  'b',
  '-n',
  '--',
  'x=1',
  '"a b"',
  "'a;b'",
  'a\\;b',
  '{a,b}',
  '#c',
  'a#b',
  '*',
  '~',
  '-',
  '"$x"',
  '$x',
  '$1',
  '"$@"',
  '${x}',
  '${#x}',
  '${x%a}',
  "'evil'",
  '"evil"',
  '$((1+1))',
  "$'a\\'b'",
  '\\',
  '<<<',
  "'",
  '"',
];

const word = (random: Random, depth: number): string => {
  const roll = random();
  if (depth <= 0 || roll < 0.55) return pick(random, plain);
  const inner = () => list(random, depth - 1);
  return pick<() => string>(random, [
    () => `$(${inner()})`,
    () => `"$(${inner()})"`,
    () => `\`${inner()}\``,
    () => `"a\`${inner()}\`b"`,
    () => `<(${inner()})`,
    () => `>(${inner()})`,
    () => `\${x:-$(${inner()})}`,
    () => `"\${x-'$(${inner()})'}"`,
    () => `"\${x-"$(${inner()})"}"`,
    () => `\${x/a/\`${inner()}\`}`,
    () => `\${a[$(${inner()})]}`,
    () => `$((1+$(${inner()})))`,
    () => `$((a[$(${inner()})]))`,
    () => `$[ $(${inner()}) ]`,
    () => `\${x:$(${inner()})}`,
    () => `'$(${inner().replaceAll("'", '')})'`,
    () => `"\\$(${inner()})"`,
    () => `\\\`${inner()}\\\``,
    () => `"\${x:-\\\n$(${inner()})}"`,
    () => `$"$(${inner()})"`,
    () => `\${x@P}`,
    () => `\${!x}`,
    () => `{a,$(${inner()})}`,
    () => `@(a|$(${inner()}))`,
    () => `a$(${inner()})b`,
    () => `$( ( ${inner()} ) )`,
    () => `$(case a in a) ${inner()};; esac)`,
    () => `$(cat <<E\n$(${inner()})\nE\n)`,
    () => `"$(cat <<'E'\n$(${inner()})\nE\n)"`,
  ])();
};

const heredoc = (random: Random, depth: number): string => {
  const quoted = random() < 0.4;
  const tag = pick(random, ['E', 'EOF', 'a']);
  const open = quoted ? pick(random, [`'${tag}'`, `"${tag}"`, `\\${tag}`]) : tag;
  const dash = random() < 0.2 ? '-' : '';
  const body = pick(random, [
    `$(${list(random, depth - 1)})`,
    `\`${list(random, depth - 1)}\``,
    'text',
    "it's",
    `\${x:-$(${list(random, depth - 1)})}`,
    '"',
  ]);
  return `<<${dash}${open}${pick(random, ['', ' | cat', ' 2>&1', '; evil', ' && good'])}\n${body}\n${dash}${tag}`.replace(
    `\n-${tag}`,
    `\n\t${tag}`,
  );
};

const redirect = (random: Random, depth: number): string =>
  pick<() => string>(random, [
    () => '>f',
    () => '2>&1',
    () => '<f',
    () => '>/dev/null',
    () => `<<< ${word(random, depth - 1)}`,
    () => `> ${word(random, depth - 1)}`,
    () => '{fd}>f',
    () => '&>f',
    () => heredoc(random, depth),
  ])();

const simple = (random: Random, depth: number): string => {
  const parts: string[] = [];
  if (random() < 0.15)
    parts.push(
      pick(random, [
        'A=1',
        'x=evil',
        `A=${word(random, depth - 1)}`,
        'CI=1',
        `a=(${word(random, depth - 1)})`,
        `a=($(evil))b`,
        'a[$(evil)]=1',
        'IFS=v',
        'PATH=.',
        'A+=b',
        'declare -A a=([k]=$(evil))b',
      ]),
    );
  if (random() < 0.1) parts.push(redirect(random, depth));
  parts.push(random() < 0.14 ? pick(random, spelledEvil) : pick(random, names));
  if (/^(eval|sh|bash)/.test(parts.at(-1) ?? ''))
    parts.push(
      pick(random, [
        `'${list(random, depth - 1).replaceAll("'", '')}'`,
        `"${list(random, depth - 1).replaceAll('"', '')}"`,
      ]),
    );
  for (let i = Math.floor(random() * 3); i > 0; i--) parts.push(word(random, depth));
  if (/^(command|timeout|nice|env|xargs|time|!|builtin|exec)/.test(parts[0] ?? '') && random() < 0.7)
    parts.push(pick(random, ['evil', 'good', 'evil a', '-- evil', '-n 1 evil']));
  if (random() < 0.15) parts.push(redirect(random, depth));
  return parts.join(pick(random, [' ', ' ', ' ', '  ', '\t', ' \\\n']));
};

const compound = (random: Random, depth: number): string => {
  const inner = () => list(random, depth - 1);
  return pick<() => string>(random, [
    () => `( ${inner()} )`,
    () => `{ ${inner()}; }`,
    () => `if ${inner()}; then ${inner()}; else ${inner()}; fi`,
    () => `for x in a ${word(random, depth - 1)}; do ${inner()}; done`,
    () => `for ((i=0;i<1;i++)); do ${inner()}; done`,
    () => `while ${inner()}; do ${inner()}; break; done`,
    () => `case a in a) ${inner()};; *) ${inner()};; esac`,
    () => `case ${word(random, depth - 1)} in (a) ${inner()};& b) ${inner()};; esac`,
    () => `f() { ${inner()}; }; f`,
    () => `good() { ${inner()}; }; good`,
    () => `function g { ${inner()}; }; g`,
    () => `[[ ${word(random, depth - 1)} && -n a ]]`,
    () => `[[ a == ${word(random, depth - 1)} ]]`,
    () => `((x=${pick(random, ['1', 'a[$(evil)]', 'x'])}))`,
    () => `coproc { ${inner()}; }; wait`,
    () => `trap '${inner().replaceAll("'", '')}' EXIT`,
    () => `select x in a; do ${inner()}; break; done <<< 1`,
    () => `until ${inner()}; do break; done`,
    () => `time ${inner()}`,
    () => `${inner()} ${redirect(random, depth)}`,
    () => `alias good=evil; good`,
    () => `set -- evil; "$1"`,
    () => `x='$(evil)'; echo \${x@P}`,
    () => `x='a[$(evil)]'; echo $((x))`,
  ])();
};

const list = (random: Random, depth: number): string => {
  if (depth <= 0) return random() < 0.4 ? pick(random, spelledEvil) : 'good';
  const parts: string[] = [];
  for (let i = 1 + Math.floor(random() * 2); i > 0; i--)
    parts.push(random() < 0.3 ? compound(random, depth) : simple(random, depth));
  return parts.join(
    pick(random, [
      '; ',
      ' && ',
      ' || ',
      ' | ',
      '\n',
      ' & ',
      ' |& ',
      ';',
      '&&',
      ' &&\n',
      '\n\n',
      ' # c\n',
      " # it's\n",
    ]),
  );
};

const marks = [
  '"',
  "'",
  '`',
  '\\',
  '$',
  '(',
  ')',
  '{',
  '}',
  '<',
  '>',
  ';',
  '&',
  '|',
  '\n',
  '#',
  ' ',
  '=',
  '[',
  ']',
  '$(',
  '${',
  '<<E\n',
  '\\\n',
  'evil',
  '!',
  '*',
  '<(',
  "$'",
];

/** One script; about a third are damaged at a few places, which is where readers disagree. No slash, no dot-dot. */
export const makeScript = (random: Random): string => {
  let text = list(random, 1 + Math.floor(random() * 3));
  if (random() < 0.35) {
    for (let i = 1 + Math.floor(random() * 3); i > 0; i--) {
      const at = Math.floor(random() * (text.length + 1));
      const cut = random() < 0.4 ? 1 : 0;
      text = text.slice(0, at) + (random() < 0.75 ? pick(random, marks) : '') + text.slice(at + cut);
    }
  }
  return text;
};

const bits = [
  ...[
    'a',
    'r',
    'm',
    '-',
    '~',
    '/',
    '.',
    '\\',
    '\\\\',
    "\\'",
    '\\"',
    '\\$',
    '\\n',
    "'",
    '"',
    "$'",
    '$"',
    "''",
    '""',
    '{',
    '}',
    '{a,b}',
    '{1..3}',
  ],
  ...[
    '{3..1}',
    '{a..c}',
    '{01..3}',
    '{a,{b,c}}',
    '{,x}',
    '{x}',
    '{a,b',
    ',',
    '..',
    '*',
    '?',
    '[ab]',
    '[',
    ']',
    '!',
    '#',
    '=',
    ':',
    '%',
    '\\x72',
  ],
  ...[
    '\\162',
    '\\u0072',
    '\\U00000072',
    '\\0',
    '\\cA',
    '\\x',
    '\\777',
    '\\u',
    'é',
    '😀',
    '\\\n',
    '\\xc3\\xa9',
    '\\1',
    '$',
    '{-1..1}',
    '{1..5..2}',
  ],
  ...['{"a,b",c}', "{a,'b c'}", '{\\,,a}', '{a,b\\}', '<()', '$()', '``'],
];

/** One or a few words of quotes, escapes and braces. */
export const makeWord = (random: Random): string => {
  let text = '';
  for (let i = 1 + Math.floor(random() * 6); i > 0; i--) text += pick(random, bits);
  return text;
};
