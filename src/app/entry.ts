/** The first code that runs: whatever it imports is paid for before the first key is taken. */
import { VERSION } from './version.ts';

const [first] = process.argv.slice(2);
if (first === '--version' || first === '-v') process.stdout.write(`${VERSION}\n`);
else {
  const { main } = await import('./main.ts');
  await main(process.argv.slice(2));
}
