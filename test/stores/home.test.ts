import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStores, type StoresWanted } from '../../src/store/open-stores.ts';
import { fileTranscripts } from '../../src/store/transcripts.ts';
import { answered, newSession, opened, said, tempHome } from './entries.ts';
import { facts, project, record, turns, writer } from './recording.ts';

const wanted = (
  home: string | undefined,
  scratch = '/tmp',
  more: Partial<StoresWanted> = {},
): StoresWanted => ({
  home,
  project,
  version: '1.0.0',
  scratch,
  ...more,
});
const isRoot = process.getuid?.() === 0;

describe('a home that cannot be written', () => {
  type Case = [string, (home: string) => Promise<string | undefined>, RegExp];
  const cases: readonly Case[] = [
    ['unset', async () => undefined, /^The session will not be saved: no home directory is set/],
    [
      'a file',
      async (home) => {
        await writeFile(home, '');
        return home;
      },
      /^The session will not be saved: could not make the directory .*home:/,
    ],
    [
      'below a file',
      async (home) => {
        await writeFile(home, '');
        return join(home, 'x');
      },
      /^The session will not be saved: .* not a directory \(ENOTDIR\)\.$/,
    ],
    ...(isRoot
      ? ([
          [
            'of another user',
            async (home) => {
              await mkdir(home);
              await chown(home, 65534, 65534);
              return home;
            },
            /^The session will not be saved: .*belongs to another user \(uid 65534\)/,
          ],
          [
            'a link to a folder of another user',
            async (home) => {
              await mkdir(`${home}-real`);
              await chown(`${home}-real`, 65534, 65534);
              await symlink(`${home}-real`, home);
              return home;
            },
            /^The session will not be saved: .*belongs to another user \(uid 65534\)/,
          ],
        ] satisfies Case[])
      : ([
          [
            'read-only',
            async (home) => {
              await mkdir(home);
              await chmod(home, 0o500);
              return home;
            },
            /^The session will not be saved: .* permission is denied \(EACCES\)\.$/,
          ],
        ] satisfies Case[])),
  ];
  it.each(cases)('is said once and the session lives in memory: %s', async (_name, make, warning) => {
    await using temp = await tempHome();
    const home = await make(temp.home);
    const before = await readdir(dirname(temp.home));
    const stores = await openStores(wanted(home));
    expect(stores).toMatchObject({ memoryOnly: true, warning: expect.stringMatching(warning) });
    const session = newSession();
    const path = await record(stores.transcripts, session, turns(1));
    expect((await stores.transcripts.load(path)).entries).toHaveLength(3);
    await stores.mailbox.send(session, { id: 'a', text: 'a', origin: { kind: 'person' } });
    expect(await stores.mailbox.read(session, 0)).toHaveLength(1);
    await stores.history.add('x', { project, session });
    stores.drafts.save(session, project, 'x');
    expect(await readdir(dirname(temp.home))).toEqual(before);
  });
});

it('a home that works is used, and mail lies beside its session', async () => {
  await using temp = await tempHome();
  const stores = await openStores(wanted(temp.home));
  expect(stores).toMatchObject({ memoryOnly: false });
  expect(stores.warning).toBeUndefined();
  const session = newSession();
  const open = await writer(stores.transcripts, session);
  await open.append(opened(project), facts);
  await stores.mailbox.send(session, { id: 'a', text: 'hello', origin: { kind: 'person' } });
  await mkdir(join(temp.home, 'teams/t'), { recursive: true });
  await stores.mailbox.send('teams/t/inboxes/b', { id: 'b', text: 'team', origin: { kind: 'person' } });
  expect(await readFile(join(open.path.replace('.jsonl', ''), 'mailbox.jsonl'), 'utf8')).toContain('hello');
  expect(await readFile(join(temp.home, 'teams/t/inboxes/b.jsonl'), 'utf8')).toContain('team');
  await open.close();
});

it('a mailbox name cannot leave the home', async () => {
  await using temp = await tempHome();
  const stores = await openStores(wanted(temp.home));
  await stores.mailbox.send('../../out/x', { id: 'a', text: 'x', origin: { kind: 'person' } });
  expect(await readdir(join(temp.home, 'out'))).toEqual(['x.jsonl']);
  expect(await readdir(dirname(temp.home))).toEqual(['home']);
});

it('without persistence nothing is written and nothing is warned about', async () => {
  await using temp = await tempHome();
  const stores = await openStores(wanted(temp.home, '/tmp', { persistence: 'off' }));
  expect(stores.memoryOnly).toBe(true);
  expect(stores.warning).toBeUndefined();
  await record(stores.transcripts, newSession(), turns(1));
  expect(await readdir(dirname(temp.home))).toEqual([]);
});

const mounts = (dir: string, size: string): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', dir], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

it.runIf(isRoot)('a full disk loses nothing that fits later, and nothing that was there', async (context) => {
  await using temp = await tempHome();
  await mkdir(temp.home, { recursive: true });
  if (!mounts(temp.home, '256k')) context.skip('this machine lets nobody mount');
  try {
    const store = fileTranscripts(temp.home, '1.0.0');
    const session = newSession();
    const open = await writer(store, session);
    const entries = [opened(project), said('long answers please')];
    for (const each of entries) await open.append(each, facts);
    let failure: unknown;
    for (let index = 0; index < 40 && failure === undefined; index++) {
      const each = answered('x'.repeat(20_000), `msg_${index}`);
      entries.push(each);
      await open.append(each, facts).catch((error: unknown) => {
        failure = error;
      });
    }
    expect(String(failure)).toContain(
      `Could not save to ${open.path}: there is no space left on the file system (ENOSPC).`,
    );
    const full = await store.load(open.path);
    expect(full).toEqual({ entries: entries.slice(0, -1), repairs: [] });
    expect(() => {
      for (;;) appendFileSync(join(temp.home, 'ballast'), Buffer.alloc(4096));
    }).toThrow('ENOSPC');
    expect((await openStores(wanted(temp.home))).warning).toMatch(/there is no space left .*\(ENOSPC\)\.$/);

    execFileSync('mount', ['-o', 'remount,size=1m', temp.home]);
    const more = said('go on');
    entries.push(more);
    await open.append(more, facts);
    await open.sync();
    await open.close();
    expect(await store.load(open.path)).toEqual({ entries, repairs: [] });
  } finally {
    execFileSync('umount', ['-l', temp.home]);
  }
});

it.runIf(isRoot)('a read-only home shows old sessions and saves no new one', async (context) => {
  await using temp = await tempHome();
  await mkdir(temp.home, { recursive: true });
  if (!mounts(temp.home, '1m')) context.skip('this machine lets nobody mount');
  try {
    const session = newSession();
    const path = await record(fileTranscripts(temp.home, '1.0.0'), session, turns(2));
    await writeFile(path, 'torn', { flag: 'a' });
    execFileSync('mount', ['-o', 'remount,ro', temp.home]);
    const stores = await openStores(wanted(temp.home));
    expect(stores.warning).toMatch(
      /^The session will not be saved: .*the file system is read-only \(EROFS\)\.$/,
    );
    expect(await stores.transcripts.find(session, project)).toMatchObject({
      id: session,
      firstPrompt: 'question 0 ä🪵',
    });
    const loaded = await stores.transcripts.load(path);
    expect(loaded.entries).toHaveLength(5);
    expect(loaded.repairs).toEqual([
      expect.stringMatching(
        /damaged tail of 4 bytes was skipped .*still there\. Could not keep a copy .*read-only/,
      ),
    ]);
    await record(stores.transcripts, newSession(), turns(1));
    expect(await stores.transcripts.list(project)).toHaveLength(2);
  } finally {
    execFileSync('umount', ['-l', temp.home]);
  }
});
