import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { textRows } from '../test/support/screen.ts';
import type { Place } from './place.ts';

/** A program in a terminal of 120 x 40 whose kernel echo is off. Times are those of `performance.now()`. */
export interface Pty extends AsyncDisposable {
  readonly pid: number;
  /** When the program itself was started. */
  readonly started: number;
  write(text: string): void;
  /** When the bytes came that brought this onto the screen. */
  seen(sight: () => boolean, patience?: number): Promise<number>;
  shows(text: string): boolean;
  /** The row in which the caret stands. */
  caretRow(): string;
  rows(): readonly string[];
  /** Bytes written so far. */
  bytes(): number;
  /** Resolves when nothing was written for `quiet` ms; when the last bytes came. */
  settled(quiet: number): Promise<number>;
}

const GO = 'ready to go\r';

/** `early` is typed before the program is started, as fast fingers do. */
export const openPty = async (
  { repository, env }: Place,
  command: readonly string[],
  early = '',
): Promise<Pty> => {
  const emulator = new xterm.Terminal({
    cols: 120,
    rows: 40,
    scrollback: 10_000,
    allowProposedApi: true,
    logLevel: 'off',
  });
  // The public way to write waits for a timer, which a key's echo would be charged with.
  const core: unknown = Reflect.get(emulator, '_core');
  if (!hasWriteSync(core)) throw new Error('@xterm/headless no longer has writeSync: parse another way.');
  const pty = spawn(
    '/bin/sh',
    ['-c', `stty -echo -icrnl; printf 'ready to go\\r'; read -r _; exec "$@"`, 'sh', ...command],
    {
      name: 'xterm-256color',
      cols: 120,
      rows: 40,
      cwd: repository,
      env: { ...env, TERM: 'xterm-256color', COLORTERM: 'truecolor' },
      encoding: null,
    },
  );
  let bytes = 0;
  let last = performance.now();
  let over = false;
  let preamble: string | undefined = '';
  const looking = new Set<() => void>();
  const ready = Promise.withResolvers<void>();
  pty.onData((chunk) => {
    const part = Buffer.from(chunk);
    last = performance.now();
    if (preamble !== undefined) {
      preamble += part.toString();
      if (preamble.includes(GO)) {
        preamble = undefined;
        ready.resolve();
      }
      return;
    }
    bytes += part.length;
    core.writeSync(part);
    for (const look of looking) look();
  });
  emulator.onData((answer) => over || pty.write(answer));
  const ended = new Promise<void>((resolve) =>
    pty.onExit(() => {
      over = true;
      resolve();
    }),
  );
  await ready.promise;
  const started = performance.now();
  pty.write(`\n${early}`);

  const buffer = () => emulator.buffer.active;
  const rows = (): string[] => textRows(buffer(), buffer().baseY, emulator.rows);
  return {
    pid: pty.pid,
    started,
    write: (typed) => pty.write(typed),
    rows,
    caretRow: () => textRows(buffer(), buffer().baseY + buffer().cursorY, 1)[0] ?? '',
    shows: (wanted) => rows().some((row) => row.includes(wanted)),
    bytes: () => bytes,
    seen: (sight, patience = 30_000) =>
      new Promise((resolve, reject) => {
        const settle = (): void => {
          clearTimeout(alarm);
          looking.delete(look);
        };
        const alarm = setTimeout(() => {
          settle();
          reject(new Error(`${sight} did not come within ${patience} ms:\n${rows().join('\n').trim()}`));
        }, patience);
        const look = (): void => {
          if (!sight()) return;
          settle();
          resolve(last);
        };
        looking.add(look);
        look();
      }),
    settled: async (quiet) => {
      for (let left = quiet; left > 0; left = quiet - (performance.now() - last))
        await new Promise((resolve) => setTimeout(resolve, left));
      return last;
    },
    async [Symbol.asyncDispose]() {
      // The end that a person gives it: compiled code is kept for the next run.
      if (!over) process.kill(pty.pid, 'SIGTERM');
      const last = setTimeout(() => process.kill(pty.pid, 'SIGKILL'), 3000);
      await ended;
      clearTimeout(last);
      emulator.dispose();
    },
  };
};

const hasWriteSync = (core: unknown): core is { writeSync(bytes: Uint8Array): void } =>
  typeof core === 'object' && core !== null && 'writeSync' in core && typeof core.writeSync === 'function';
