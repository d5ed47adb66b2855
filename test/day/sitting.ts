/** Ten turns of real work on a copy of this project, typed key by key. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gate } from '../support/replies.ts';
import { type Scene, scene } from '../support/scene.ts';
import type { Exit, Terminal } from '../support/terminal.ts';
import { dayLanes, dayScript } from './script.ts';

export interface Sitting {
  readonly columns: number;
  readonly rows?: number;
  readonly theme: string;
  /** Called where the screen is worth looking at, at rest. */
  readonly look: (name: string, screen: Terminal, on: Scene) => Promise<void> | void;
}

const PROJECT = resolve(import.meta.dirname, '../..');
const PARTS = ['src', 'scripts', 'package.json', 'README.md', 'ARCHITECTURE.md', 'LICENSE'];

export interface Evening {
  readonly on: Scene;
  /** Both terminals, as they were left. */
  readonly terminals: readonly { readonly raw: () => string; readonly exit: Exit }[];
}

/** Everything that was typed for the model, in order. */
export const PROMPTS = [
  'What happens between a key press and an answer? Point me at the files.',
  'Why does nearNames forgive so much in long names? Give that limit a name.',
  'Now write tests for it and run them.',
  'Which rooms are the largest?',
  'Are all files within their limits?',
  'One letter should suggest nothing. Plan that.',
  'Is anything unused?',
  'What should completions do with one letter?',
  '日本語で説明してください @src/front/ui/width.ts',
  'Where were we?',
] as const;

/** Typed while a request waits to be repeated. */
export const AHEAD = 'and tell me what changed';

/** The whole day; resolves when the second session has been left. `after` judges what it left behind. */
export const workingDay = async (
  { columns, rows = 40, theme, look }: Sitting,
  after: (evening: Evening) => Promise<void> = async () => {},
): Promise<void> => {
  const held = gate();
  await using on = await scene(dayScript(held));
  dayLanes(on.server);
  for (const part of PARTS) cpSync(join(PROJECT, part), join(on.repo.path, part), { recursive: true });
  await on.repo.git('add', '-A');
  await on.repo.git('commit', '--quiet', '-m', 'Bring the project');
  mkdirSync(on.repo.state, { mode: 0o700 });
  writeFileSync(join(on.repo.state, 'settings.json'), JSON.stringify({ theme }), { mode: 0o600 });
  const terminals: { raw: () => string; exit: Exit }[] = [];
  const see = async (name: string, screen: Terminal): Promise<void> => {
    await screen.settle(120);
    await look(name, screen, on);
  };
  {
    await using screen = await on.screen(['--name', 'day'], { columns, rows });
    await morning(screen, see, held.open, { columns, rows });
    await afternoon(screen, see);
    screen.type('/exit\r');
    terminals.push({ raw: screen.raw, exit: await screen.exit() });
  }
  {
    await using screen = await on.screen(['--resume'], { columns, rows });
    await evening(screen, see);
    screen.type('/exit\r');
    terminals.push({ raw: screen.raw, exit: await screen.exit() });
  }
  await after({ on, terminals });
};

/** Words on the screen, wherever its width breaks them. */
const seen = (screen: Terminal, words: string): Promise<void> =>
  screen.waitFor(new RegExp(words.replace(/[.?()]/g, '\\$&').replaceAll(' ', '\\s+')), 30_000);

type See = (name: string, screen: Terminal) => Promise<void>;

/** A question, a repair, a failing test, long output. */
const morning = async (
  screen: Terminal,
  see: See,
  goOn: () => void,
  size: { readonly columns: number; readonly rows: number },
): Promise<void> => {
  await seen(screen, 'for keys');
  await see('01-welcome', screen);
  screen.type(PROMPTS[0]);
  await see('02-typed', screen);
  screen.key('enter');
  await seen(screen, 'Enter calls');
  await see('03-streaming', screen);
  const { columns, rows } = size;
  screen.resize(columns - 30, rows);
  await screen.waitFor(() => screen.screen().filter((row) => /^─+$/.test(row)).length === 2);
  await see('03-narrower', screen);
  goOn();
  await seen(screen, 'and from Python');
  screen.resize(columns, rows);
  await seen(screen, 'for the whole story');
  await see('04-answer', screen);

  screen.type(`${PROMPTS[1]}\r`);
  await seen(screen, '1. Yes');
  await see('05-edit-question', screen);
  screen.key('1');
  await seen(screen, 'How many slips');
  await see('06-second-edit', screen);
  screen.key('1');
  await seen(screen, 'a sentence that says why');
  await see('07-repaired', screen);

  screen.type(`${PROMPTS[2]}\r`);
  await seen(screen, 'Write asks');
  await see('08-write-question', screen);
  screen.key('2');
  await seen(screen, 'Bash asks');
  await see('09-bash-question', screen);
  screen.key('1');
  await seen(screen, 'One expectation of mine');
  await seen(screen, 'Run them again');
  await see('10-failed-test', screen);
  screen.key('1');
  await seen(screen, 'Both tests pass.');
  await see('11-tests', screen);

  screen.type(`${PROMPTS[3]}\r`);
  await seen(screen, 'nobody imports?');
  await see('12-count', screen);

  screen.type(`${PROMPTS[4]}\r`);
  await seen(screen, '429');
  screen.type(AHEAD);
  await see('13-retry', screen);
  screen.key('enter');
  await seen(screen, `${AHEAD} queued`);
  await see('13-queued', screen);
  await seen(screen, 'Bash asks');
  await see('14-bash', screen);
  screen.key('1');
  await seen(screen, 'within their limits.');
  await see('15-checked', screen);
};

/** A plan, two agents, questions, and words typed ahead. */
const afternoon = async (screen: Terminal, see: See): Promise<void> => {
  screen.key('shift+tab');
  await seen(screen, 'plan mode');
  await see('20-mode', screen);
  screen.type(`${PROMPTS[5]}\r`);
  await seen(screen, 'Suggest nothing for one letter');
  await see('21-plan', screen);
  screen.key('1');
  await seen(screen, 'Done as planned');
  await see('22-planned', screen);

  screen.type(`${PROMPTS[6]}\r`);
  await seen(screen, 'Neither agent');
  await see('24-agents', screen);

  screen.type(`${PROMPTS[7]}\r`);
  await seen(screen, 'How should one letter');
  await see('25-question', screen);
  screen.key('enter');
  await seen(screen, 'Which places');
  screen.key('space');
  screen.key('down');
  screen.key('down');
  screen.key('space');
  await see('26-multi', screen);
  screen.key('5');
  await seen(screen, 'Noted: nothing');
  await see('28-answered', screen);

  screen.type('!git status --short\r');
  await seen(screen, 'and nothing else.');
  await see('29-shell', screen);
  screen.type('日本語で説明してください @src/front/ui/wid');
  await seen(screen, 'src/front/ui/width.ts');
  await see('30-mention', screen);
  screen.key('tab');
  screen.key('enter');
  await seen(screen, 'fn width');
  await see('31-wide', screen);

  for (const command of ['/context', '/cost', '/status', '/diff', '/help', '/config', '/model']) {
    screen.type(`${command}\r`);
    await see(`40-${command.slice(1)}`, screen);
    screen.key('esc');
    await screen.settle(200);
  }
  screen.type('/compact the open question\r');
  await seen(screen, 'ompacted');
  await see('50-compacted', screen);
  screen.key('ctrl+o');
  await see('51-transcript', screen);
  screen.key('q');
};

/** The picker of conversations, and the last question. */
const evening = async (screen: Terminal, see: See): Promise<void> => {
  await seen(screen, 'Conversations');
  await see('60-picker', screen);
  screen.key('enter');
  await seen(screen, 'nobody imports');
  await see('61-resumed', screen);
  screen.type(`${PROMPTS[9]}\r`);
  await seen(screen, 'There are none.');
  await see('62-went-on', screen);
};
