import { execFile, execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStores } from '../../src/store/open-stores.ts';
import { newSession, tempHome } from '../stores/entries.ts';

/** Runs the day until its N-th call of this kind, at which it is killed; answers what it had said until then. */
const runUntil = (
  home: string,
  session: string,
  calls: string,
  count: number,
): Promise<{ readonly said: readonly string[]; readonly finished: boolean }> =>
  new Promise((resolve) => {
    const script = join(import.meta.dirname, 'a-day.ts');
    const inject = [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      `trace=${calls}`,
      '-e',
      `inject=${calls}:signal=KILL:when=${count}`,
    ];
    // One thread for everything in the background: the N-th call is the same one in every run.
    const env = { ...process.env, UV_THREADPOOL_SIZE: '1' };
    execFile('strace', [...inject, process.execPath, script, home, session], { env }, (error, stdout) => {
      resolve({ said: stdout.split('\n').filter((line) => line !== ''), finished: error === null });
    });
  });

it.each([
  ['write,pwrite64', 60, 25],
  ['rename,unlink,link', 40, 10],
  ['fsync', 20, 8],
  ['openat', 60, 20],
])(
  'killed at any %s, everything accepted is there and the session goes on',
  async (calls, points, atLeast) => {
    execFileSync('strace', ['-V']);
    let killed = 0;
    let finishedRuns = 0;
    // The calls of the start of Node itself come first: steps grow with the number of calls there are.
    const step = calls === 'openat' ? 7 : 1;
    for (let count = 1; count <= points * step && finishedRuns < 3; count += step) {
      await using temp = await tempHome();
      const session = newSession();
      const { said, finished } = await runUntil(temp.home, session, calls, count);
      if (finished) finishedRuns++;
      else killed++;
      const at = `${calls} ${count}`;
      const stores = await openStores({ home: temp.home, project: '/p', version: '1.0.0', scratch: '/tmp' });
      const path = stores.transcripts.locate(session, '/p');
      const started = (await readdir(temp.home, { recursive: true })).some((name) =>
        name.endsWith(`${session}.jsonl`),
      );
      const { entries } = started ? await stores.transcripts.load(path) : { entries: [] };
      const wanted = said.filter((line) => line.startsWith('entry ')).map((line) => line.slice(6));
      expect(entries.map((entry) => entry.uuid).slice(0, wanted.length), at).toEqual(wanted);
      const mails = (await stores.mailbox.read(session, 0)).map((mail) => `mail ${mail.place}`);
      expect(mails, at).toEqual(expect.arrayContaining(said.filter((line) => line.startsWith('mail '))));
      const settings = await readFile(join(temp.home, 'settings.json'), 'utf8').catch(() => '{}');
      const themes = said.filter((line) => line.startsWith('theme '));
      const last = Number(themes.at(-1)?.slice(6) ?? -1);
      const theme: unknown = JSON.parse(settings).theme;
      expect([last === -1 ? undefined : `theme ${last}`, `theme ${last + 1}`], at).toContain(theme);
      const again = await stores.transcripts.open(session, '/p');
      if (!('append' in again)) throw new Error(`${at}: ${JSON.stringify(again)}`);
      const stamp = { uuid: 'next', parentUuid: null, timestamp: new Date().toISOString() };
      await again.append({ type: 'note', level: 'info', text: 'on', ...stamp }, { cwd: '/p' });
      await again.close();
      expect(
        (await stores.transcripts.load(path)).entries.map((entry) => entry.uuid),
        at,
      ).toEqual([...entries.map((entry) => entry.uuid), 'next']);
    }
    expect(killed).toBeGreaterThanOrEqual(atLeast);
  },
  600_000,
);
