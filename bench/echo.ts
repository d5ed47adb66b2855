import { setTimeout as sleep } from 'node:timers/promises';
import type { Pty } from './pty.ts';

const KEYS = 'abcdefghij';

/** Whether the line in which one types holds this. */
const prompts = (pty: Pty, typed: string): boolean =>
  pty.rows().some((row) => /^(│>|❯)/.test(row) && row.includes(` ${typed}`));

/** Milliseconds from each key to its echo; the line is emptied as it fills. */
export const echoes = async (pty: Pty, count: number, pause: number): Promise<number[]> => {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const typed = KEYS.slice(0, (index % KEYS.length) + 1);
    const began = performance.now();
    pty.write(typed.at(-1) ?? '');
    times.push((await pty.seen(() => prompts(pty, typed))) - began);
    await sleep(pause);
    if (typed === KEYS) await erase(pty, KEYS);
  }
  return times;
};

/** Key by key: several in one piece are a paste to some. */
const erase = async (pty: Pty, typed: string): Promise<void> => {
  for (let left = typed; left !== ''; left = left.slice(0, -1)) {
    pty.write('\x7f');
    await pty.seen(() => !prompts(pty, left));
  }
};
