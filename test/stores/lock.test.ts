import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { cleanup } from '../../src/store/cleanup.ts';
import { fileTranscripts } from '../../src/store/transcripts.ts';
import { newSession, opened, said, tempHome } from './entries.ts';
import { facts, project, record, turns, writer } from './recording.ts';

it("a killed process's session is taken over, and all it had recorded is there", async () => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '1.0.0');
  const session = newSession();
  const script = join(import.meta.dirname, 'append-forever.ts');
  const child = spawn(process.execPath, [script, temp.home, session, project], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let recorded = 0;
  for await (const piece of child.stdout) {
    recorded += piece.toString().length;
    if (recorded > 20) break;
  }
  expect(await store.open(session, project)).toMatchObject({ pid: child.pid });
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const open = await writer(store, session);
  await open.append(said('after'), facts);
  await open.close();
  const { entries } = await store.load(open.path);
  expect(entries.length).toBeGreaterThanOrEqual(recorded);
  expect(entries.at(-1)).toMatchObject({ content: [{ text: 'after' }] });
  expect((await readdir(dirname(open.path))).filter((name) => /lock|tmp|dead/.test(name))).toEqual([]);
}, 20_000);

it('locks of a reused pid, of an earlier start of the machine and broken ones do not count', async () => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '1.0.0');
  const session = newSession();
  const open = await writer(store, session);
  const lock = open.path.replace('.jsonl', '.lock');
  const mine = JSON.parse(await readFile(lock, 'utf8'));
  await writeFile(lock, JSON.stringify({ ...mine, id: 'other', start: '1' }));
  const next = await writer(store, session);
  await expect(open.append(said('late'), facts)).rejects.toThrow('another process continued this session');
  await next.close();
  for (const broken of ['', '{', JSON.stringify({ ...mine, boot: 'another' })]) {
    await writeFile(lock, broken);
    await (await writer(store, session)).close();
  }
});

it('old sessions are cleaned up with all that belongs to them, open ones stay', async () => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '1.0.0');
  const [gone, kept] = [newSession(), newSession()];
  const path = await record(store, gone, turns(1));
  await store.outputs(gone, project);
  await copyFile(path, path.replace('.jsonl', '.damaged-1'));
  const cutOff = join(dirname(path), newSession());
  await mkdir(cutOff);
  const copied = newSession();
  for (const list of [gone, kept, copied, 'by-hand'])
    await mkdir(join(temp.home, 'tasks', list), { recursive: true });
  const open = await writer(store, kept);
  await open.append(opened(project, { taskList: copied }), facts);
  await open.append(said('x'), facts);
  expect(await cleanup(temp.home, 30, Date.now() + 29 * 86_400_000)).toEqual({ removed: 0 });
  expect(await cleanup(temp.home, 30, Date.now() + 31 * 86_400_000)).toEqual({ removed: 1 });
  const names = await readdir(dirname(path));
  expect(names.filter((name) => name.startsWith(gone) || cutOff.endsWith(name))).toEqual([]);
  expect((await readdir(join(temp.home, 'tasks'))).toSorted()).toEqual([copied, kept, 'by-hand'].toSorted());
  expect(await store.list(project)).toHaveLength(1);
  await open.close();
});

it('everything is private to the user', async () => {
  await using temp = await tempHome();
  const path = await record(fileTranscripts(temp.home, '1.0.0'), newSession(), turns(1));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  for (let dir = dirname(path); dir.startsWith(temp.home); dir = dirname(dir))
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
});

it("of many processes that want a dead one's session at once, one gets it", async () => {
  await using temp = await tempHome();
  const session = newSession();
  const first = await writer(fileTranscripts(temp.home, '1.0.0'), session);
  const lock = first.path.replace('.jsonl', '.lock');
  const dead = { ...JSON.parse(await readFile(lock, 'utf8')), id: 'dead', start: '1' };
  const script = join(import.meta.dirname, 'open-once.ts');
  const rivals = Array.from({ length: 6 }, () => {
    const child = spawn(process.execPath, [script, temp.home, session, project], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return {
      child,
      lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
      end: once(child, 'exit'),
    };
  });
  for (const { lines } of rivals) expect((await lines.next()).value).toBe('ready');
  await writeFile(lock, JSON.stringify(dead));
  for (const { child } of rivals) child.stdin.write('go');
  const outcomes = await Promise.all(rivals.map(async ({ lines }) => (await lines.next()).value));
  for (const { child } of rivals) child.stdin.end();
  await Promise.all(rivals.map(({ end }) => end));
  expect(outcomes.sort()).toEqual([...Array(5).fill('refused'), 'won']);
}, 20_000);
