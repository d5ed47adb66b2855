/**
 * `node scripts/picture.ts FILM.json`: runs Coppice in a terminal against a scripted model, presses the
 * keys that the film names, and writes pictures of the screen. See `test/support/film.ts` for the form.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { Film, shoot } from '../test/support/film.ts';

const [path] = process.argv.slice(2);
if (path === undefined) {
  console.error('Usage: node scripts/picture.ts FILM.json');
  process.exit(2);
}
const film = Film.safeParse(JSON.parse(readFileSync(path, 'utf8')));
if (!film.success) {
  console.error(`${path} is not a film.\n${z.prettifyError(film.error)}`);
  process.exit(2);
}
for (const picture of await shoot(film.data)) console.log(picture);
