/** Fails when a file grew past what one idea needs, and names the largest, so that growth is seen early. */
import { globSync, readFileSync, statSync } from 'node:fs';

const LIMITS = [
  { what: 'src/**/*.{ts,tsx}', lines: 300 },
  { what: '{scripts,bin,bench}/**/*.{js,mjs,ts}', lines: 300 },
  { what: 'test/**/*.{ts,tsx}', lines: 600 },
  { what: 'src/app/prompt/system.md', bytes: 8 * 1024 },
  { what: 'src/**/*.md', bytes: 8 * 1024 },
];

let tooLarge = 0;
for (const { what, lines, bytes } of LIMITS) {
  const sizes = globSync(what)
    .map((path) => ({
      path,
      size: bytes ? statSync(path).size : readFileSync(path, 'utf8').split('\n').length - 1,
    }))
    .toSorted((a, b) => b.size - a.size);
  const limit = lines ?? bytes;
  const unit = lines ? 'lines' : 'bytes';
  const over = sizes.filter(({ size }) => size > limit);
  const largest = sizes.slice(0, 3).map(({ path, size }) => `${path} ${size}`);
  tooLarge += over.length;
  process.stdout.write(
    `${what}: ${sizes.length} files, at most ${limit} ${unit}; largest: ${largest.join(', ') || 'none'}\n`,
  );
  for (const { path, size } of over) process.stdout.write(`  TOO LARGE ${path}: ${size} ${unit}\n`);
}
if (tooLarge > 0) {
  process.stdout.write(`${tooLarge} files are too large: split each into files with one idea each.\n`);
  process.exit(1);
}
