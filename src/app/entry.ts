/** The first code that runs: whatever it imports is paid for before the first key is taken. */
import { join } from 'node:path';
import { type FirstFrame, firstFrame, leadsToScreen } from './first-frame.ts';
import { type Program, runKept } from './kept-code.ts';
import { VERSION } from './version.ts';

/** The bundled program, written in by the build. */
declare const COPPICE_PROGRAM: string;

const args = process.argv.slice(2);
const cwd = here();
if (args[0] === '--version' || args[0] === '-v') process.stdout.write(`${VERSION}\n`);
else if (cwd === undefined) {
  process.stderr.write(
    `coppice: The directory ${process.env.PWD ?? 'you are in'} does not exist any more. Change to another (cd), then start again.\n`,
  );
  process.exitCode = 1;
} else void start(cwd);

async function start(cwd: string): Promise<void> {
  const drawn = leadsToScreen(args);
  let frame: FirstFrame | undefined;
  // Until the screen or the run has handlers of its own, a signal gives the terminal back and ends the program.
  const early = (
    [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
      ['SIGQUIT', 131],
      ['SIGUSR2', 140],
    ] as const
  ).map(([signal, code]) => {
    const leave = (): void => {
      frame?.abandon();
      // As in host.ts: a terminal that went away cannot be given back.
      if (signal === 'SIGHUP') {
        process.off(signal, leave);
        process.kill(process.pid, signal);
      }
      process.exit(code);
    };
    if (drawn) process.on(signal, leave);
    return () => void process.off(signal, leave);
  });
  if (drawn)
    frame = firstFrame({
      stdin: process.stdin,
      stdout: process.stdout,
      env: process.env,
      cwd,
      version: VERSION,
      quit: () => process.exit(130),
    });
  if (frame) await twoTurns();
  const program: Program<typeof import('./main.ts')> = runKept(
    join(import.meta.dirname, COPPICE_PROGRAM),
    drawn ? 'screen' : args.some((arg) => arg === '-p' || arg === '--print') ? 'print' : 'command',
  );
  keepInTime(program);
  await program.exports.main(args, frame, () => {
    for (const forget of early) forget();
  });
}

/** At the end of a short run. In a long one V8 drops code that was needed for the start only. */
function keepInTime({ keep }: Program<unknown>): void {
  process.once('exit', keep);
  const soon = (): void => {
    process.off('exit', keep);
    keep();
  };
  setTimeout(soon, 10_000).unref();
}

/** Undefined where the directory was removed under the shell. */
function here(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Lets the frame reach the terminal and the first keys arrive before anything else is loaded. */
async function twoTurns(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
