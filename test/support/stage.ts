import { PassThrough, Writable } from 'node:stream';
import xterm from '@xterm/headless';
import type { ScreenCommands, ScreenFacts, ScreenPorts } from '../../src/contract/screen.ts';
import { createColours } from '../../src/front/ui/highlight.ts';
import { runScreen } from '../../src/front/ui/run.tsx';
import type { RunningScreen } from '../../src/front/ui/screen-options.ts';
import type { ColorLevel, ThemeName } from '../../src/front/ui/theme.ts';
import { type DemoSession, demoSession } from './demo-session.ts';
import { bytesOf } from './keys.ts';
import { type Cell, cellsOf, textRows } from './screen.ts';

export interface StageOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly theme?: ThemeName;
  readonly level?: ColorLevel;
  readonly ports?: ScreenPorts;
  readonly held?: string;
  readonly facts?: Partial<ScreenFacts>;
}

/** The screen on a scripted session in a terminal emulator, all in this process. */
export interface Stage extends AsyncDisposable {
  readonly demo: DemoSession;
  readonly commands: ScreenCommands;
  readonly exit: RunningScreen['exit'];
  restoreTerminal(): void;
  type(text: string): void;
  /** Presses keys by name, one after the other. */
  press(...names: readonly string[]): Promise<void>;
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  screen(): string[];
  cells(): Cell[][];
  /** Scrollback and screen as one text. */
  text(): string;
  cursor(): { readonly column: number; readonly row: number };
  raw(): string;
  waitFor(sight: string | RegExp | (() => boolean)): Promise<void>;
  /** Resolves when everything written so far is drawn and nothing follows. */
  settle(): Promise<void>;
}

/** Grammars come when they are wanted; here they are there at once, or a scene would be drawn before its colours. */
const colours = createColours(() => {});
for (const language of ['ts', 'bash']) await colours.load(language);

/** A clock that stands still, so that elapsed times are the same in every run. */
const NOON = Date.UTC(2026, 0, 1, 12);

export function stage(options: StageOptions = {}): Stage {
  const { columns = 80, rows = 24 } = options;
  const emulator = new xterm.Terminal({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  let raw = '';
  const stdout = Object.assign(
    new Writable({
      decodeStrings: false,
      write(chunk: string | Buffer, _encoding, done) {
        raw += chunk.toString();
        // A real terminal driver sends a carriage return with every line end.
        emulator.write(chunk.toString().replace(/(?<!\r)\n/g, '\r\n'), done);
      },
    }),
    { isTTY: true, columns, rows },
  );
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => modes.push(on),
    ref() {},
    unref() {},
  });
  emulator.onData((answer) => stdin.write(answer));
  const demo = demoSession();
  const running = runScreen({
    session: demo.session,
    cwd: '/home/ada/shop',
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    version: '0.1.0',
    theme: options.theme ?? 'dark',
    color: { level: options.level ?? 3, links: false, background: 'dark' },
    takeOver: () => options.held ?? '',
    calm: true,
    colours,
    now: () => NOON,
    facts: () => ({
      model: 'Sonnet 4.5',
      branch: 'main',
      directory: '~/shop',
      mode: demo.session.state().mode,
      modes: ['default', 'acceptEdits', 'plan'],
      contextShare: 0.23,
      cost: '$0.12',
      ...options.facts,
    }),
    ports: options.ports ?? {},
  });
  const top = () => emulator.buffer.active.baseY;
  const screen = () => textRows(emulator.buffer.active, top(), emulator.rows);
  const text = () => textRows(emulator.buffer.active, 0, top() + emulator.rows).join('\n');
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
  const drained = () => new Promise<void>((resolve) => emulator.write('', resolve));
  const made: Stage = {
    demo,
    commands: running.commands,
    exit: running.exit,
    restoreTerminal: running.restoreTerminal,
    type: (typed) => void stdin.write(typed),
    async press(...names) {
      for (const name of names) {
        stdin.write(bytesOf(name));
        // A lone escape is told from the begin of a sequence by the pause after it.
        await new Promise<void>((resolve) => setTimeout(resolve, name === 'esc' ? 40 : 8));
      }
    },
    paste: (pasted) => void stdin.write(`\x1b[200~${pasted}\x1b[201~`),
    resize(nextColumns, nextRows) {
      emulator.resize(nextColumns, nextRows);
      Object.assign(stdout, { columns: nextColumns, rows: nextRows });
      stdout.emit('resize');
    },
    screen,
    cells: () => cellsOf(emulator.buffer.active, top(), emulator.rows, emulator.cols),
    text,
    cursor: () => ({ column: emulator.buffer.active.cursorX, row: emulator.buffer.active.cursorY }),
    raw: () => raw,
    async waitFor(sight) {
      const seen = () =>
        typeof sight === 'function'
          ? sight()
          : typeof sight === 'string'
            ? text().includes(sight)
            : sight.test(text());
      for (let tries = 0; !seen(); tries++) {
        if (tries > 800) throw new Error(`${String(sight)} did not come:\n${screen().join('\n')}`);
        await turn();
        await drained();
      }
    },
    async settle() {
      let before = -1;
      while (before !== raw.length) {
        before = raw.length;
        for (let turns = 0; turns < 8; turns++) await turn();
        await drained();
      }
    },
    async [Symbol.asyncDispose]() {
      running.commands.exit();
      await running.exit;
    },
  };
  return made;
}
