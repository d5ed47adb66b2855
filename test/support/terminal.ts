import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type IPty, spawn as spawnPty } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { bytesOf } from './keys.ts';
import { kill } from './processes.ts';
import type { TempRepo } from './repo.ts';
import { COPPICE } from './run-binary.ts';
import { type Cell, cellsOf, textRows } from './screen.ts';

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  /** Added to the environment of the repository; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Another program in place of Coppice, as a command with arguments. */
  readonly command?: readonly [string, ...string[]];
}

/** What a text is looked for in: a part, a pattern, or any condition. */
export type Sight = string | RegExp | (() => boolean);

export interface Exit {
  readonly code: number;
  /** Number of the signal that ended the program, 0 if none did. */
  readonly signal: number;
  /** The line discipline before the program ran and after, in the words of `stty -g`. */
  readonly termios: { readonly before: string; readonly after: string };
}

/** A program in a pseudo-terminal and what a person in front of it would see. */
export interface Terminal extends AsyncDisposable {
  readonly pid: number;
  /** Sends text as typed. Before `ready` the kernel echoes it, as with a real keyboard. */
  type(text: string): void;
  /** Presses one key: `esc`, `enter`, `shift+tab`, `ctrl+c`, `alt+b`, `up`, `x`. */
  key(name: string): void;
  /** Pastes, in brackets where the program has asked for them. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** The visible rows as text, without blanks at their ends. */
  screen(): string[];
  /** The visible rows as cells with their styles; for `snapshot` and pictures. */
  cells(): Cell[][];
  /** The rows that have left the screen at its head. */
  scrollback(): string[];
  /** Scrollback and screen as one text. */
  text(): string;
  readonly cursor: () => { readonly column: number; readonly row: number };
  /** Everything the program wrote, as UTF-8 text with its escape sequences. */
  raw(): string;
  /** Resolves once the program reads key by key and the kernel no longer echoes. */
  ready(timeout?: number): Promise<void>;
  /** Resolves when the text (scrollback included) or condition is there; rejects with the screen. */
  waitFor(sight: Sight, timeout?: number): Promise<void>;
  /** Resolves when the visible screen no longer shows the text. */
  waitUntilGone(text: string, timeout?: number): Promise<void>;
  /** Resolves when nothing was written for `quiet` ms; for pictures, not for conditions. */
  settle(quiet?: number): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Closes the terminal under the program, as a lost connection does. */
  hangUp(): void;
  /** Resolves when the program has ended and its last output is on the screen. */
  exit(timeout?: number): Promise<Exit>;
}

/** Rows the emulator keeps above the screen. */
const SCROLLBACK = 50_000;

/** Opens Coppice (or `command`) in a terminal of 120 x 40 in the repository. */
export const openTerminal = async (
  place: Pick<TempRepo, 'path' | 'env' | 'root'>,
  args: readonly string[] = [],
  options: TerminalOptions = {},
): Promise<Terminal> => {
  const { columns = 120, rows = 40 } = options;
  const emulator = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: SCROLLBACK,
    allowProposedApi: true,
  });
  const startState = join(place.root, `stty-${randomBytes(4).toString('hex')}`);
  const command = [...(options.command ?? [process.execPath, COPPICE]), ...args];
  const pty = spawnPty('/bin/sh', ['-c', 'stty -g >"$0"; exec "$@"', startState, ...command], {
    name: options.env?.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd: options.cwd ?? place.path,
    env: { ...place.env, TERM: 'xterm-256color', COLORTERM: 'truecolor', ...options.env },
    encoding: null,
  });
  const settings = lineSettings(pty);
  const chunks: Buffer[] = [];
  const looking = new Set<() => void>();
  const look = (): void => {
    for (const one of looking) one();
  };
  const { promise: ended, resolve: finish } = Promise.withResolvers<Exit>();
  let last = performance.now();
  let over = false;
  let drawn = false;

  pty.onData((chunk) => {
    const bytes = Buffer.from(chunk);
    last = performance.now();
    chunks.push(bytes);
    emulator.write(bytes, look);
  });
  emulator.onData((answer) => over || pty.write(answer));
  pty.onExit(async ({ exitCode, signal }) => {
    over = true;
    const before = existsSync(startState) ? readFileSync(startState, 'utf8').trim() : '';
    const after = await settings.read();
    settings.close();
    emulator.write('', () => {
      drawn = true;
      finish({ code: exitCode, signal: signal ?? 0, termios: { before, after } });
      look();
    });
  });

  const raw = (): string => Buffer.concat(chunks).toString('utf8');
  const buffer = () => emulator.buffer.active;
  const screen = (): string[] => textRows(buffer(), buffer().baseY, emulator.rows);
  const scrollback = (): string[] => textRows(buffer(), 0, buffer().baseY);
  const text = (): string => [...scrollback(), ...screen()].join('\n');
  const seen = (sight: Sight, from: number): boolean => {
    if (typeof sight === 'function') return sight();
    const rows = textRows(buffer(), from, buffer().baseY - from + emulator.rows).join('\n');
    return typeof sight === 'string' ? rows.includes(sight) : sight.test(rows);
  };
  const waitFor = (sight: Sight, timeout = 15_000): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (why?: string): void => {
        clearTimeout(alarm);
        looking.delete(check);
        if (why === undefined) resolve();
        else
          reject(
            new Error(`${why} while waiting for ${sight}. The screen:\n${screen().join('\n').trimEnd()}`),
          );
      };
      // Rows that have scrolled away do not change: what was read once is not read again.
      let from = 0;
      const check = (): void => {
        const { baseY } = buffer();
        if (baseY < from) from = 0;
        if (seen(sight, from)) settle();
        else if (drawn) settle('The program ended');
        from = baseY < SCROLLBACK ? Math.max(0, baseY - emulator.rows) : 0;
      };
      const alarm = setTimeout(() => settle(`${timeout} ms passed`), timeout);
      looking.add(check);
      check();
    });

  return {
    pid: pty.pid,
    type: (letters) => pty.write(letters),
    key: (name) => pty.write(bytesOf(name)),
    paste: (letters) =>
      pty.write(
        emulator.modes.bracketedPasteMode ? `\x1b[200~${letters}\x1b[201~` : letters.replaceAll('\n', '\r'),
      ),
    resize: (toColumns, toRows) => {
      // The emulator first: the program's redraw must find the new size.
      emulator.resize(toColumns, toRows);
      pty.resize(toColumns, toRows);
    },
    screen,
    cells: () => cellsOf(buffer(), buffer().baseY, emulator.rows, emulator.cols),
    scrollback,
    text,
    cursor: () => ({ column: buffer().cursorX, row: buffer().cursorY }),
    raw,
    ready: async (timeout = 20_000) => {
      const end = performance.now() + timeout;
      while (echoes(await settings.read())) {
        if (over || performance.now() > end)
          throw new Error(`The program never took the keyboard.\n${text()}`);
        await sleep(5);
      }
    },
    waitFor,
    waitUntilGone: (gone, timeout) => waitFor(() => !screen().join('\n').includes(gone), timeout),
    settle: async (quiet = 250) => {
      for (let left = quiet; left > 0; left = quiet - (performance.now() - last)) await sleep(left);
    },
    kill: (signal) => void kill(pty.pid, signal),
    hangUp: () => {
      settings.close();
      if ('destroy' in pty && typeof pty.destroy === 'function') pty.destroy();
    },
    exit: async (timeout = 20_000) => {
      await waitFor(() => drawn, timeout);
      return ended;
    },
    [Symbol.asyncDispose]: async () => {
      if (!over) kill(pty.pid, 'SIGKILL');
      await ended;
      emulator.dispose();
    },
  };
};

/**
 * Reads the terminal's line settings from the master side, which works even after the program has gone.
 * A shell that shares the descriptor does it, because Node has no `tcgetattr`.
 */
const lineSettings = (pty: IPty): { read(): Promise<string>; close(): void } => {
  if (!('fd' in pty) || typeof pty.fd !== 'number') throw new Error('This pty has no descriptor.');
  const shell: ChildProcess = spawn('/bin/sh', ['-c', 'while read -r _; do stty -g <&3; done'], {
    stdio: ['pipe', 'pipe', 'ignore', pty.fd],
    env: { PATH: process.env.PATH },
  });
  const { stdin, stdout } = shell;
  if (!stdin || !stdout) throw new Error('The shell has no pipes.');
  stdin.on('error', () => undefined);
  const lines = createInterface({ input: stdout });
  const waiting: ((line: string) => void)[] = [];
  lines.on('line', (line) => waiting.shift()?.(line));
  const gone = new Promise<string>((resolve) => shell.once('close', () => resolve('')));
  return {
    read: () =>
      Promise.race([
        gone,
        new Promise<string>((resolve) => {
          waiting.push(resolve);
          stdin.write('\n');
        }),
      ]),
    close: () => void shell.kill('SIGKILL'),
  };
};

/** True while the kernel echoes keys: bit 3 of the local flags, the fourth word of `stty -g`. */
const echoes = (settings: string): boolean => {
  const ECHO = 0o10;
  const local = settings.split(':')[3];
  return local === undefined || (Number.parseInt(local, 16) & ECHO) !== 0;
};
