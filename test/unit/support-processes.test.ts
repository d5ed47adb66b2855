import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  killTagged,
  leftovers,
  peakMegabytes,
  processorShare,
  tagged,
  zombiesOf,
} from '../support/processes.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { startCoppice } from '../support/run-binary.ts';

let place: TempRepo;
beforeAll(async () => {
  place = await tempRepo();
});
afterAll(() => place.dispose());

const shell = (script: string) => startCoppice(place, [script], { command: ['bash', '-c'] });

test('a child nobody waits for is a zombie', async () => {
  await using running = shell(
    'until [ "$(cat /proc/$$/comm)" = sleep ]; do :; done & echo up; exec sleep 60',
  );
  await running.waitFor('up');
  await expect.poll(() => zombiesOf(running.pid)).toHaveLength(1);
});

test('memory and processor time of a process are read while it runs', async () => {
  await using idle = shell('echo up; exec sleep 60');
  await idle.waitFor('up');
  expect(await processorShare(idle.pid, 100)).toBeLessThan(0.05);
  expect(peakMegabytes(idle.pid)).toBeGreaterThan(0);
  idle.kill('SIGKILL');
  await idle.ended;
  expect(peakMegabytes(idle.pid)).toBeUndefined();
});

test('what a dead program left behind is found by its tag and can be killed', async () => {
  await using running = shell('setsid sleep 60 >/dev/null 2>&1 & echo up');
  await running.ended;
  await expect.poll(() => tagged(place.tag).map(({ command }) => command)).toEqual(['sleep 60']);
  killTagged(place.tag);
  expect(await leftovers(place.tag)).toEqual([]);
});
