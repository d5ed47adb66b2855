/** The first code that runs: whatever it imports is paid for before the first key is taken. */
import { firstFrame, leadsToScreen } from './first-frame.ts';
import { VERSION } from './version.ts';

const args = process.argv.slice(2);
if (args[0] === '--version' || args[0] === '-v') process.stdout.write(`${VERSION}\n`);
else {
  const frame = leadsToScreen(args)
    ? firstFrame({
        stdin: process.stdin,
        stdout: process.stdout,
        env: process.env,
        cwd: process.cwd(),
        version: VERSION,
        quit: () => process.exit(130),
      })
    : undefined;
  if (frame) await twoTurns();
  const { main } = await import('./main.ts');
  await main(args, frame);
}

/** Lets the frame reach the terminal and the first keys arrive before anything else is loaded. */
async function twoTurns(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
