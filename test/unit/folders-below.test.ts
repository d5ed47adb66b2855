import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { foldersBelow } from '../../src/lib/folders-below.ts';

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'folders-'));
});
afterEach(() => rmSync(top, { recursive: true }));

const make = (...paths: readonly string[]) => {
  for (const path of paths) mkdirSync(join(top, path), { recursive: true });
};

const walked = (start = top) => {
  const below = foldersBelow(start);
  const seen: string[] = [];
  for (;;) {
    const { done, value } = below.next();
    if (done) return { seen, cut: value };
    seen.push(relative(start, value.path));
  }
};

test('shallow before deep, by name; hidden and installed ones are passed by', () => {
  make('b', 'a/deep', '.hidden', 'node_modules/x');
  expect(walked()).toEqual({ seen: ['', 'a', 'b', 'a/deep'], cut: false });
});

test('a circle of links is walked once, and what the system shows of itself never', () => {
  make('a');
  symlinkSync('..', join(top, 'a', 'up'));
  symlinkSync('/proc', join(top, 'processes'));
  expect(walked()).toEqual({ seen: ['', 'a'], cut: false });
  expect(walked('/proc')).toEqual({ seen: [], cut: false });
});

test('a link leads to a folder, and its files are known by where they really are', () => {
  make('real', 'place');
  writeFileSync(join(top, 'real', 'one.md'), '');
  symlinkSync(join(top, 'real'), join(top, 'place', 'linked'));
  const [, linked] = [...foldersBelow(join(top, 'place'))];
  expect(linked?.names).toEqual(['linked']);
  expect(linked?.entries.map((entry) => entry.real())).toEqual([join(top, 'real', 'one.md')]);
});

test('more folders than anybody keeps end the walk, and it says so', () => {
  make(...Array.from({ length: 5_001 }, (_, at) => `${at}`));
  const { seen, cut } = walked();
  expect([seen.length, cut]).toEqual([5_000, true]);
});
