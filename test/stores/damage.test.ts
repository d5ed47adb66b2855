import { appendFile, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { memberTokens } from '../../src/app/look-at-team.ts';
import { noUsage, usedTokens } from '../../src/contract/message.ts';
import { fold } from '../../src/loop/fold.ts';
import { loadTranscript } from '../../src/store/load.ts';
import { fileTranscripts } from '../../src/store/transcripts.ts';
import { answered, entry, newSession, opened, said, tempHome } from './entries.ts';
import { project, record, turns } from './recording.ts';

it.each([1, 2, 3, 5, 10, 50, 'half'] as const)(
  'a transcript cut by %s bytes keeps every whole turn, tells once, and goes on',
  async (cut) => {
    await using temp = await tempHome();
    const store = fileTranscripts(temp.home, '1.0.0');
    const session = newSession();
    const entries = turns(6);
    const path = await record(store, session, entries);
    const size = (await stat(path)).size;
    const last = Buffer.byteLength((await readFile(path, 'utf8')).trimEnd().split('\n').at(-1) ?? '');
    await truncate(path, size - (cut === 'half' ? Math.round(last / 2) : cut));
    const torn = (await readFile(path)).subarray(size - last - 1);
    const whole = cut === 1 ? entries : entries.slice(0, -1);

    const first = await store.load(path);
    expect(first.entries).toEqual(whole);
    expect(first.repairs).toHaveLength(cut === 1 ? 0 : 1);
    if (cut !== 1) {
      const copy = path.replace('.jsonl', '.damaged-1');
      expect(first.repairs[0]).toContain(`skipped in ${path}; a copy is in ${copy}.`);
      expect(await readFile(copy)).toEqual(torn);
      expect((await stat(copy)).mode & 0o777).toBe(0o600);
    }
    const more = turns(1);
    await record(store, session, more);
    expect(await store.load(path)).toEqual({ entries: [...whole, ...more], repairs: [] });
  },
);

it.each([
  ['4096 NUL bytes', Buffer.alloc(4096)],
  ['half a character', Buffer.from('{"type":"user","x":"ä').subarray(0, -1)],
  ['half a character alone', Buffer.from('🪵').subarray(0, 2)],
])('a transcript with %s at its end goes on', async (_name, tail) => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '1.0.0');
  const session = newSession();
  const entries = turns(6);
  const path = await record(store, session, entries);
  await appendFile(path, tail);
  const loaded = await store.load(path);
  expect(loaded.entries).toEqual(entries);
  expect(loaded.repairs).toHaveLength(1);
  const more = [said('on')];
  await record(store, session, more);
  expect(await store.load(path)).toEqual({ entries: [...entries, ...more], repairs: [] });
  expect(await readFile(path.replace('.jsonl', '.damaged-1'))).toEqual(tail);
});

it('what stands around broken lines in the middle is kept', async () => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '1.0.0');
  const entries = turns(4);
  const path = await record(store, newSession(), entries);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  lines[2] = 'rubbish';
  lines[4] = `${lines[4]}`.slice(0, 40);
  await writeFile(path, `${lines.join('\n')}\n`);
  const loaded = await store.load(path);
  expect(loaded.entries).toEqual(entries.filter((_, index) => index !== 2 && index !== 4));
  expect(loaded.repairs).toEqual([
    expect.stringMatching(/^2 damaged lines \(47 bytes\) were skipped in .* and 1 more/),
  ]);
  expect((await store.load(path)).repairs).toEqual([]);
});

it('a damaged file does not hide others from the list', async () => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '1.0.0');
  const path = await record(store, newSession(), turns(1));
  await writeFile(join(dirname(path), 'rubbish.jsonl'), Buffer.from([0, 255, 10, 13, 123]));
  await writeFile(join(dirname(path), 'empty.jsonl'), '');
  await mkdir(join(dirname(path), 'folder.jsonl'));
  const all = await store.list(project);
  expect(all.map((each) => each.path)).toContain(path);
  expect(all).toHaveLength(2);
});

it('title and first prompt are found whatever lies between', async () => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '1.0.0');
  const big = 'x'.repeat(300_000);
  const path = await record(store, newSession(), [
    opened(project),
    entry({
      type: 'user',
      content: [{ type: 'text', text: big }],
      origin: { kind: 'system', about: 'opening' },
      meta: true,
    }),
    said('the prompt'),
    entry({ type: 'title', title: 'The Title', byPerson: true }),
    ...Array.from({ length: 20 }, () => answered(big)),
    answered('end'),
  ]);
  expect((await store.list(project))[0]).toMatchObject({ title: 'The Title', firstPrompt: 'the prompt' });
  expect((await store.load(path)).entries).toHaveLength(25);
});

it('a very long transcript is loaded with its older messages shortened, and stays whole on disk', async () => {
  await using temp = await tempHome();
  const big = 'x'.repeat(5_000);
  const entries = [
    opened(project),
    said(big),
    entry({
      type: 'assistant',
      message: {
        role: 'assistant',
        id: 'm',
        model: 'x',
        content: [
          { type: 'thinking', thinking: big, signature: 's' },
          {
            type: 'tool_use',
            id: 'toolu_1' as never,
            name: 'Write',
            input: { file_path: '/x', content: big },
          },
        ],
        stop_reason: 'tool_use',
        usage: {
          input_tokens: 1,
          output_tokens: 1,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
        },
      },
    }),
    entry({
      type: 'user',
      origin: { kind: 'tools' },
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1' as never, content: big }],
      responses: { toolu_1: { content: big } },
    }),
    answered(big),
    answered('short'),
  ];
  const path = await record(fileTranscripts(temp.home, '1.0.0'), newSession(), entries);
  const size = (await stat(path)).size;
  const { entries: found, repairs } = await loadTranscript(path, 8_000);
  const cut = expect.stringMatching(/^x{200} \[\.\.\. 4800 characters left out\]$/);
  expect(found.slice(0, 4)).toMatchObject([
    { type: 'opened' },
    { content: [{ text: cut }] },
    { message: { content: [{ type: 'tool_use', input: { file_path: '/x', content: cut } }] } },
    { content: [{ tool_use_id: 'toolu_1', content: cut }] },
  ]);
  expect(found.slice(4)).toEqual(entries.slice(4));
  expect(repairs).toEqual([expect.stringContaining(`${path} still holds them whole`)]);
  expect((await stat(path)).size).toBe(size);
});

it('what another process writes is read on from where one was, half a line is left for the next time, and nothing is repaired', async () => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '1.0.0');
  const session = newSession();
  const [first, second] = [turns(3), turns(2)];
  const path = await record(store, session, first);
  const { size } = await stat(path);
  expect(await store.after(path, 0)).toEqual({ entries: first, place: size });
  await record(store, session, second);
  const whole = await readFile(path);
  await truncate(path, whole.length - 5);
  const next = await store.after(path, size);
  expect(next.entries).toEqual(second.slice(0, -1));
  expect(await store.after(path, next.place)).toEqual({ entries: [], place: next.place });
  await appendFile(path, whole.subarray(-5));
  expect(await store.after(path, next.place)).toEqual({ entries: second.slice(-1), place: whole.length });
  expect((await readdir(dirname(path))).filter((name) => name.includes('damaged'))).toEqual([]);
});

it('the tokens of a member in another process are those of its transcript, of which only what is new is read', async () => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '1.0.0');
  const session = newSession();
  const path = await record(store, session, [opened(project), ...turns(3)]);
  const places: number[] = [];
  const after: typeof store.after = (at, place) => {
    places.push(place);
    return store.after(at, place);
  };
  const tokens = memberTokens({ ...store, after }, () => undefined);
  const folded = async () => usedTokens(fold(session, (await store.load(path)).entries)?.usage ?? noUsage);
  const look = () =>
    tokens({ project, leadSessionId: newSession() }, { name: 'ann', session, transcript: path });
  expect(await look()).toBe(await folded());
  const { size } = await stat(path);
  expect(await look()).toBe(await folded());
  await record(store, session, turns(2));
  expect(await look()).toBe(await folded());
  expect(await folded()).toBeGreaterThan(0);
  expect(places).toEqual([0, size]);
});
