import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tempRepo } from '../support/repo.ts';
import { openTerminal } from '../support/terminal.ts';

/** Letters in an order in which a lost, doubled or swapped one shows. */
const sentence = Array.from({ length: 60 }, (_, n) => String.fromCharCode(97 + ((n * 7) % 26))).join('');

test.each([1, 2, 3])(
  'no key is lost, doubled or swapped while the program starts, %i ms apart',
  async (apart) => {
    await using repo = await tempRepo();
    await using on = await openTerminal(repo, ['--practice', '--trust'], { columns: 100, rows: 30 });
    await on.ready();
    for (const letter of sentence) {
      on.type(letter);
      await pause(apart);
    }
    await on.waitFor('practice model');
    await on.waitFor(sentence);
    await on.settle();
    expect(on.screen().filter((row) => row.startsWith('❯'))).toEqual([`❯ ${sentence}`]);
    expect(on.text().split('Coppice').length - 1).toBe(1);
  },
);

test('enter pressed before anything is loaded sends the line as soon as there is a conversation', async () => {
  await using repo = await tempRepo();
  await using on = await openTerminal(repo, ['--practice', '--trust'], { columns: 100, rows: 40 });
  await on.ready();
  on.type('look around\r');
  await on.waitFor('Practice model: offline');
  expect(on.text()).toContain('❯ look around');
});

test('a paste that is cut in two by the start arrives whole', async () => {
  await using repo = await tempRepo();
  await using on = await openTerminal(repo, ['--practice', '--trust'], { columns: 100, rows: 30 });
  await on.ready();
  on.type('\x1b[200~first half, ');
  // Only the whole program draws this.
  await on.waitFor('practice model');
  on.type('second half\x1b[201~');
  await on.waitFor('❯ first half, second half');
});

test('ctrl+c in the first frame leaves a clean terminal', async () => {
  await using repo = await tempRepo();
  await using on = await openTerminal(repo, ['--practice', '--trust'], { columns: 100, rows: 30 });
  await on.ready();
  on.type('\x03');
  // The first frame ends at once; where the whole program has the keys already, it asks for a second one.
  await on.waitFor('ctrl+c again to leave').then(
    () => on.type('\x03'),
    () => undefined,
  );
  const { termios } = await on.exit();
  expect(termios.after).toBe(termios.before);
  expect(on.raw().lastIndexOf('\x1b[?2004l')).toBeGreaterThan(on.raw().lastIndexOf('\x1b[?2004h'));
});
