/** `npm start -- [DIR] [arguments]`: builds when something changed, then opens Coppice in DIR, or where npm was called. */
import './node-version.mjs';
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isStale } from './stale.mjs';

const calledIn = process.env.INIT_CWD ?? process.cwd();
const [first, ...rest] = process.argv.slice(2);
const named = first === undefined ? undefined : resolve(calledIn, first);
const isFolder = named !== undefined && statSync(named, { throwIfNoEntry: false })?.isDirectory() === true;

if (isStale()) await import('./build.mjs');
process.chdir(isFolder ? named : calledIn);
const bin = join(import.meta.dirname, '..', 'bin', 'coppice.js');
process.argv = [process.execPath, bin, ...(isFolder || first === undefined ? rest : [first, ...rest])];
await import(bin);
