/** Files come back as they were but for the edited bytes; nobody's change is written over. */
import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { say, use } from '../support/replies.ts';
import { scene } from '../support/scene.ts';

const EDITS = ['--permission-mode', 'acceptEdits'];
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
const BOM = '\ufeff';

/** Before and after as bytes; `refused` where it may be left alone instead. */
const files: Readonly<Record<string, { before: Buffer; after: Buffer; refusable?: true }>> = {
  CRLF: { before: Buffer.from('a\r\nold\r\nc\r\n'), after: Buffer.from('a\r\nnew\r\nc\r\n') },
  'CRLF with one bare LF': {
    before: Buffer.from('a\nb\r\nold\r\nc\r\n'),
    after: Buffer.from('a\nb\r\nnew\r\nc\r\n'),
  },
  'BOM and CRLF': { before: Buffer.from(`${BOM}a\r\nold\r\n`), after: Buffer.from(`${BOM}a\r\nnew\r\n`) },
  'no final newline': { before: Buffer.from('a\nold'), after: Buffer.from('a\nnew') },
  'UTF-16LE with BOM': { before: utf16('a\nold\n'), after: utf16('a\nnew\n'), refusable: true },
  'Latin-1': {
    before: Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x6f, 0x6c, 0x64, 0x0a]),
    after: Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x6e, 0x65, 0x77, 0x0a]),
    refusable: true,
  },
  'tabs and spaces': {
    before: Buffer.from('\tif:\n    \told\n\tb  \n'),
    after: Buffer.from('\tif:\n    \tnew\n\tb  \n'),
  },
};

test.each(Object.entries(files))('F08: %s', async (_, { before, after, refusable }) => {
  await using on = await scene();
  const path = join(on.repo.path, 'file.txt');
  writeFileSync(path, before);
  on.server.script(
    use('Read', { file_path: path }),
    use('Edit', { file_path: path, old_string: 'old', new_string: 'new' }),
    say('done'),
  );
  const ran = await on.ask('edit', ...EDITS);
  expect(ran.code).toBe(0);
  const now = readFileSync(path);
  const refused = on.server.requests[2]?.results[0]?.error === true;
  if (refusable && refused) expect(now.equals(before)).toBe(true);
  else expect(now.toString('hex')).toBe(after.toString('hex'));
  expect(await on.breaches({ kept: ['edit', 'done'] })).toEqual([]);
});

test('F08: several lines into CRLF take its ends; mode and link stay', async () => {
  await using on = await scene();
  const [script, link] = [join(on.repo.path, 'run.sh'), join(on.repo.path, 'link.sh')];
  writeFileSync(script, '#!/bin/sh\r\nold\r\n');
  chmodSync(script, 0o755);
  symlinkSync('run.sh', link);
  on.server.script(
    use('Read', { file_path: link }),
    use('Edit', { file_path: link, old_string: 'old\n', new_string: 'new\nmore\n' }),
    say('done'),
  );
  await on.ask('edit', ...EDITS);
  expect(readFileSync(script, 'utf8')).toBe('#!/bin/sh\r\nnew\r\nmore\r\n');
  expect(statSync(script).mode & 0o777).toBe(0o755);
  expect([lstatSync(link).isSymbolicLink(), readlinkSync(link)]).toEqual([true, 'run.sh']);
});

describe('F09: a file that changed since it was read', () => {
  const change = {
    'grew later': (path: string) => writeFileSync(path, 'keep\nold\nmine\n'),
    'has the same size and second': (path: string) => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, 'KEEP\nold\n');
      utimesSync(path, atime, mtime);
    },
  };
  const call = {
    Edit: (path: string) => use('Edit', { file_path: path, old_string: 'old', new_string: 'new' }),
    Write: (path: string) => use('Write', { file_path: path, content: 'all new\n' }),
  };
  test.each(
    Object.entries(change).flatMap(([how, apply]) =>
      Object.entries(call).map(([tool, block]) => [how, tool, apply, block] as const),
    ),
  )('%s: %s is refused, and works after another Read', async (_, __, apply, block) => {
    await using on = await scene();
    const path = join(on.repo.path, 'a.txt');
    writeFileSync(path, 'keep\nold\n');
    let changed = '';
    on.server.script(
      use('Read', { file_path: path }),
      () => {
        apply(path);
        changed = readFileSync(path, 'utf8');
        return block(path);
      },
      () => {
        expect(readFileSync(path, 'utf8')).toBe(changed);
        return use('Read', { file_path: path });
      },
      () => block(path),
      say('done'),
    );
    const ran = await on.ask('edit', ...EDITS);
    expect(ran.stdout).toBe('done\n');
    expect(on.server.requests[2]?.results[0]).toMatchObject({
      error: true,
      text: expect.stringMatching(/changed since/),
    });
    expect(on.server.requests[4]?.results[0]).toMatchObject({ error: false });
    expect(readFileSync(path, 'utf8')).not.toBe(changed);
    expect(await on.breaches({ kept: ['edit', 'done'] })).toEqual([]);
  });
});
