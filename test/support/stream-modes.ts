/** Modes a program may switch on, and the state a terminal wants them back in. */
const PRIVATE_MODES: Readonly<Record<string, 'h' | 'l'>> = {
  '1': 'l',
  '7': 'h',
  '25': 'h',
  '47': 'l',
  '1000': 'l',
  '1002': 'l',
  '1003': 'l',
  '1004': 'l',
  '1006': 'l',
  '1015': 'l',
  '1047': 'l',
  '1049': 'l',
  '2004': 'l',
  '2026': 'l',
  '2031': 'l',
  '2048': 'l',
};

/**
 * What a pty stream switched on and left on: private modes such as `?25l` or `?2004h`, `>4;2m`
 * (modified keys), a kitty keyboard push without its pop, and `ESC =`. Empty for a well-behaved program.
 */
export const leftOn = (written: string): string[] => {
  const stream = written.replaceAll('\x1b', '␛');
  const last = new Map<string, string>();
  for (const [, numbers = '', to = ''] of stream.matchAll(/␛\[\?([\d;]+)([hl])/g))
    for (const number of numbers.split(';')) last.set(number, to);
  const modes = [...last].flatMap(([number, to]) =>
    (PRIVATE_MODES[number] ?? to) === to ? [] : [`?${number}${to}`],
  );
  const modified = [...stream.matchAll(/␛\[>4(?:;(\d+))?m/g)].at(-1)?.[1] ?? '0';
  return [
    ...modes,
    ...(modified === '0' ? [] : [`>4;${modified}m`]),
    ...(kittyDepth(stream) === 0 ? [] : [`>u pushed ${kittyDepth(stream)} times too often`]),
    ...([...stream.matchAll(/␛([=>])(?!\[)/g)].at(-1)?.[1] === '=' ? ['ESC ='] : []),
  ];
};

/** Pushes of the keyboard protocol not yet popped; popping an empty stack does nothing. */
const kittyDepth = (stream: string): number => {
  let depth = 0;
  for (const [, sign, count] of stream.matchAll(/␛\[([<>])(\d*)u/g))
    depth = sign === '>' ? depth + 1 : Math.max(0, depth - Number(count || 1));
  return depth;
};
