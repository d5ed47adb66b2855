import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { STAMP } from './publish.mjs';

const root = resolve(import.meta.dirname, '..');
const SOURCES = ['src', 'skills', 'agents', 'scripts', 'package.json'];

/** Whether anything that goes into dist/ is newer than what lies there. */
export function isStale(out = join(root, 'dist')) {
  const built = ageOf(join(out, STAMP));
  return built === undefined || SOURCES.some((source) => newest(join(root, source)) > built);
}

/** A directory counts too: its time changes when a file in it is removed. */
function newest(path) {
  const own = ageOf(path) ?? 0;
  const inside = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : [];
  return inside.reduce((latest, name) => Math.max(latest, newest(join(path, name))), own);
}

function ageOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
