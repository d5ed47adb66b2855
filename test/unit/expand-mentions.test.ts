import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type MentionDeps, mentioned, mentionsIn } from '../../src/app/expand-mentions.ts';
import type { SessionState } from '../../src/contract/state.ts';
import { mediaReader } from '../../src/media/media-reader.ts';
import { readTool } from '../../src/tools/read.ts';
import { pngFile } from '../support/sample-files.ts';

const cwd = mkdtempSync(join(tmpdir(), 'coppice-mentions-'));
afterAll(() => rmSync(cwd, { recursive: true }));
writeFileSync(join(cwd, 'a b.txt'), 'blank\n');
writeFileSync(
  join(cwd, 'lines.txt'),
  `${Array.from({ length: 9 }, (_, at) => `line ${at + 1}`).join('\n')}\n`,
);
writeFileSync(join(cwd, 'secret.env'), 'KEY=1\n');
writeFileSync(join(cwd, 'small.png'), pngFile(3, 2));
writeFileSync(join(cwd, 'noise.bin'), Buffer.from([1, 0, 2, 0]));
mkdirSync(join(cwd, 'folder', 'inner'), { recursive: true });
writeFileSync(join(cwd, 'folder', 'z.txt'), '');

type Servers = NonNullable<MentionDeps['servers']>;
const servers: Pick<Servers, 'states' | 'readResource'> = {
  states: () => [{ name: 'docs' }] as unknown as ReturnType<Servers['states']>,
  readResource: async (server, uri) =>
    uri === 'note://1' ? { text: `Text of ${server} ${uri}` } : { refused: `${uri} could not be read` },
};
const deps: MentionDeps = {
  read: readTool({ media: mediaReader() }),
  home: cwd,
  forbidden: (path) => (path.endsWith('.env') ? 'a rule denies it' : undefined),
  servers: servers as Servers,
};
const bring = (text: string) =>
  mentioned(mentionsIn(text), { cwd } as SessionState, deps, new AbortController().signal);
const textOf = async (text: string) =>
  (await bring(text)).blocks.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');

test.each([
  ['see @a.ts and @b/c.ts.', ['a.ts', 'b/c.ts']],
  ['(@a.ts), "@b"', ['a.ts']],
  ['@"a b.txt" twice @"a b.txt"', ['a b.txt']],
  ['mail@example.com', []],
  ['@a.ts#L2-4!', ['a.ts#L2-4']],
])('%j names %j', (text, names) => {
  expect(mentionsIn(text)).toEqual(names);
});

describe('what is named with @ goes along', () => {
  test('a file as Read shows it, and counts as read', async () => {
    const { blocks, effects } = await bring('see @"a b.txt"');
    expect(blocks).toEqual([
      { type: 'text', text: `<attached path="${join(cwd, 'a b.txt')}">\n     1\tblank\n</attached>` },
    ]);
    expect(effects).toMatchObject([{ type: 'seen', path: join(cwd, 'a b.txt') }]);
  });

  test.each([
    ['@lines.txt#L3', ['3\tline 3'], ['line 2', 'line 4']],
    ['@lines.txt#L3-5', ['3\tline 3', '5\tline 5'], ['line 2', 'line 6']],
    ['@~/lines.txt', ['1\tline 1', '9\tline 9'], []],
    ['@folder', ['inner/\nz.txt'], []],
    ['@small.png', ['[Picture', 'image'], []],
    ['@docs:note://1.', ['<attached resource="docs:note://1">\nText of docs note://1'], []],
    ['@docs:note://2', ['problem>\nnote://2 could not be read'], []],
    ['@secret.env', ['problem>\nNot attached: a rule denies it'], ['KEY']],
    ['@noise.bin', ['problem>', 'is a binary file of 4 bytes'], []],
  ])('%s', async (text, held, missing) => {
    const found = await textOf(text);
    for (const part of held) expect(found).toContain(part);
    for (const part of missing) expect(found).not.toContain(part);
  });

  test('what is not there stays a word', async () => {
    expect(await bring('ask @nobody and @other:note://1')).toEqual({ blocks: [], effects: [] });
  });
});
