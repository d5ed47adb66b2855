import {
  chmodSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { breaches } from '../support/invariants.ts';
import { type Line, modelServer } from '../support/model-server.ts';
import { peakMegabytes } from '../support/processes.ts';
import { reply, say, use } from '../support/replies.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { startCoppice } from '../support/run-binary.ts';

const TRUSTING = ['-p', 'go', '--permission-mode', 'bypassPermissions'];
const PEAK_MEGABYTES = 700;

/** One run over a script in a fresh repository; what the model got for its calls. `check` sees the folder after it. */
const play = async (
  script: (place: TempRepo) => readonly Line[],
  check: (place: TempRepo, results: readonly string[]) => void = () => undefined,
): Promise<void> => {
  await using server = await modelServer();
  await using place = await tempRepo({ server, env: { COPPICE_SANDBOXED: '1' } });
  server.script(...script(place), say('done'));
  const running = startCoppice(place, TRUSTING, { timeout: 110_000 });
  running.endInput();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakMegabytes(running.pid) ?? 0);
  }, 50);
  const ran = await running.ended;
  clearInterval(watch);
  expect(ran).toMatchObject({ code: 0, stdout: 'done\n' });
  expect(peak).toBeLessThan(PEAK_MEGABYTES);
  expect(await breaches({ place, server, kept: ['go', 'done'] })).toEqual([]);
  check(
    place,
    server.requests.flatMap(({ results }) => results.map(({ text }) => text)),
  );
};

test('edits change the edited bytes alone, whatever the file is like', async () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  const files: readonly (readonly [name: string, before: Buffer, after: Buffer])[] = [
    ['crlf', Buffer.from('a\r\nold\r\nc\r\n'), Buffer.from('a\r\nnew\r\nc\r\n')],
    ['mixed', Buffer.from('a\r\nold\nc\r\n'), Buffer.from('a\r\nnew\nc\r\n')],
    ['bom', Buffer.from('\ufeffa\r\nold\r\n'), Buffer.from('\ufeffa\r\nnew\r\n')],
    ['no-end', Buffer.from('a\nold'), Buffer.from('a\nnew')],
    ['utf16', utf16('a\r\nold\r\n'), utf16('a\r\nnew\r\n')],
    ['latin1', Buffer.from('caf\xe9\nold\n', 'latin1'), Buffer.from('caf\xe9\nnew\n', 'latin1')],
    ['script', Buffer.from('a\nold\n'), Buffer.from('a\nnew\n')],
    ['link', Buffer.from('a\nold\n'), Buffer.from('a\nnew\n')],
    ['blanks', Buffer.from('\tif:\n\t  old  \n'), Buffer.from('\tif:\n\t  new  \n')],
  ];
  await play(
    ({ path }) => {
      for (const [name, before] of files)
        writeFileSync(join(path, name === 'link' ? 'target' : name), before);
      chmodSync(join(path, 'script'), 0o755);
      symlinkSync('target', join(path, 'link'));
      return [
        reply(files.map(([name]) => use('Read', { file_path: name }))),
        ...files.map(([name]) => use('Edit', { file_path: name, old_string: 'old', new_string: 'new' })),
      ];
    },
    ({ path }) => {
      for (const [name, , after] of files)
        expect([name, readFileSync(join(path, name))]).toEqual([name, after]);
      expect(statSync(join(path, 'script')).mode & 0o777).toBe(0o755);
      expect(readlinkSync(join(path, 'link'))).toBe('target');
    },
  );
});

test('a file that somebody else changed since it was read keeps their change', async () => {
  await play(
    ({ path }) => {
      const file = join(path, 'a.txt');
      writeFileSync(file, 'same\nmine\n');
      utimesSync(file, 1_000, 1_000);
      const edit = use('Edit', { file_path: 'a.txt', old_string: 'same', new_string: 'ours' });
      return [
        use('Read', { file_path: 'a.txt' }),
        () => {
          writeFileSync(file, 'same\nhers\n');
          utimesSync(file, 1_000, 1_000);
          return edit;
        },
        use('Write', { file_path: 'a.txt', content: 'ours\n' }),
        use('Read', { file_path: 'a.txt' }),
        edit,
      ];
    },
    ({ path }, results) => {
      expect(results[1]).toMatch(/has changed since it was read/);
      expect(results[2]).toMatch(/has changed since it was read/);
      expect(results[4]).toMatch(/^Edited/);
      expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('ours\nhers\n');
    },
  );
});

test('huge and binary output neither fills memory nor the next request', async () => {
  const commands = ['yes | head -c 1G', 'head -c 100M /dev/urandom', 'head -c 50M /dev/zero | tr "\\0" x'];
  await play(
    () => [
      ...commands.map((command) => use('Bash', { command })),
      use('Bash', { command: 'yes', timeout: 1_000 }),
      use('Bash', { command: 'yes', run_in_background: true }),
      use('Bash', {
        command:
          'sleep 1; ls -l "$(dirname "$(ls -t "$HOME"/.coppice/projects/*/*/outputs/*.txt | head -1)")" | cut -d" " -f5',
      }),
    ],
    (_, results) => {
      expect(results[0]).toMatch(
        /\[\d+ of 1073741824 bytes are left out here\. What was kept of it: \/.*\.txt\]/,
      );
      expect(results[1]).toMatch(
        /^\[104857600 bytes of binary output, not shown\. What was kept of it: .*\]$/,
      );
      expect(results[2]).toMatch(
        /^x+\n\n\[52398\d+ of 52428800 bytes are left out here\. All of it: .*\]\n\nx+$/,
      );
      expect(results[3]).toMatch(/\[Stopped at its time limit after 1(\.\d)? s\./);
      for (const text of results) expect(text.length).toBeLessThan(31_000);
      const sizes = (results[5] ?? '').split('\n').map(Number);
      expect(sizes.length).toBeGreaterThan(3);
      expect(Math.max(...sizes.filter((size) => size > 0))).toBeLessThanOrEqual(64 * 1024 * 1024);
    },
  );
}, 120_000);
