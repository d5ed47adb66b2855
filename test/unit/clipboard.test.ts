import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clipboard } from '../../src/app/command-ports.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clipboard-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A tmux that keeps what it was told, or knows nothing of clipboards. */
const tmux = (script: string): string => {
  writeFileSync(join(folder, 'tmux'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'tmux'), 0o755);
  return `${folder}:${process.env.PATH}`;
};
const base64 = (text: string) => Buffer.from(text).toString('base64');

test('outside of tmux, over ssh too, the terminal is asked', async () => {
  const written: string[] = [];
  const said = await clipboard((bytes) => written.push(bytes), { SSH_TTY: '/dev/pts/1' })('grüße');
  expect(written).toEqual([`\x1b]52;c;${base64('grüße')}\x07`]);
  expect(said).toContain('5 characters');
});

test('in tmux, tmux takes it', async () => {
  const PATH = tmux(`echo "$@" > '${folder}/args'; cat > '${folder}/text'`);
  const written: string[] = [];
  const said = await clipboard((bytes) => written.push(bytes), { TMUX: '/tmp/x,1,0', PATH })("it's grüße\n");
  expect(written).toEqual([]);
  expect(readFileSync(join(folder, 'args'), 'utf8')).toBe('load-buffer -w -\n');
  expect(readFileSync(join(folder, 'text'), 'utf8')).toBe("it's grüße\n");
  expect(said).toContain('into tmux');
});

test('an old tmux passes it through', async () => {
  const PATH = tmux('exit 1');
  const written: string[] = [];
  await clipboard((bytes) => written.push(bytes), { TMUX: '/tmp/x,1,0', PATH })('x');
  expect(written).toEqual([`\x1bPtmux;\x1b\x1b]52;c;${base64('x')}\x07\x1b\\`]);
});
