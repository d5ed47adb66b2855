import { describe, expect, test } from 'vitest';
import { scenes } from '../support/demo-scenes.ts';
import { snapshot } from '../support/screen.ts';
import { type Stage, stage } from '../support/stage.ts';

/** Ten scenes of a day, cell by cell. After a wanted change: `vitest run test/ui/scenes.test.ts -u`, then look at the difference. */
const named: Readonly<Record<string, (on: Stage) => Promise<void>>> = {
  streaming: async (on) => scenes.streaming?.(on.demo),
  'tool call': async (on) => scenes.tool?.(on.demo),
  diff: async (on) => scenes.diff?.(on.demo),
  question: async (on) => scenes.question?.(on.demo),
  'long output': async (on) => scenes.long?.(on.demo),
  'wide characters': async (on) => scenes.wide?.(on.demo),
  table: async (on) => scenes.table?.(on.demo),
  'error with retry': async (on) => scenes.retry?.(on.demo),
  picker: async (on) => {
    void on.commands.pick({
      title: 'Resume a conversation',
      searched: true,
      items: [
        { value: 1, label: 'Round the cart once', hint: '2 hours ago · main' },
        { value: 2, label: 'Vouchers larger than the sum', hint: 'yesterday · vouchers' },
        { value: 3, label: 'テストを追加する', hint: '3 days ago · main' },
      ],
      initial: 1,
      preview: async (value) => `Conversation **${value}**\n\n- first\n- second`,
    });
    await on.waitFor('Conversation 2');
  },
  'queued messages': async (on) => scenes.queued?.(on.demo),
};

const played = async (name: string, options: Parameters<typeof stage>[0]): Promise<Stage> => {
  const on = stage(options);
  await on.settle();
  await named[name]?.(on);
  await on.settle();
  return on;
};

describe.each(Object.keys(named))('%s', (name) => {
  test('at 40, 80, 120 and 200 columns, and without colour', async () => {
    const shots: string[] = [];
    for (const columns of [40, 80, 120, 200]) {
      await using on = await played(name, { columns, rows: 30 });
      shots.push(`──── ${columns} columns\n${snapshot(on.cells())}`);
      expect(on.cursor().column).toBeLessThan(columns);
      expect(on.raw()).not.toContain('\x1b[3J');
      if (columns !== 80) continue;
      await using bare = await played(name, { columns, rows: 30, level: 0 });
      expect(bare.screen()).toEqual(on.screen());
    }
    await expect(`${shots.join('\n\n')}\n`).toMatchFileSnapshot(`scenes/${name.replaceAll(' ', '-')}.txt`);
  });
});
