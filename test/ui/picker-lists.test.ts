/** Lists of a picker that are asked for one after the other and come in another order, and what it shows of an item. */
import { expect, it } from 'vitest';
import { dialogs } from '../../src/front/ui/dialogs.ts';
import type { Host } from '../../src/front/ui/host.ts';
import type { Press } from '../../src/front/ui/keys.ts';
import type { ScreenState } from '../../src/front/ui/screen-state.ts';
import { createStore } from '../../src/front/ui/store.ts';

it('shows the list that was asked for last, also where an earlier one takes longer', async () => {
  const store = createStore({} as ScreenState);
  const { commands, key } = dialogs({ store } as Host, { enter: async () => {}, leave: async () => {} });
  const [slow, quick] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const items = (label: string) => [{ value: label, label }];
  void commands.pick({
    title: 'Which?',
    items: items('first'),
    keys: [
      { key: 'ctrl+b', label: 'slow', list: () => slow.promise.then(items) },
      { key: 'ctrl+a', label: 'quick', list: () => quick.promise.then(items) },
    ],
  });
  const press = (name: string): void =>
    key({ name, ctrl: true, alt: false, shift: false, text: '' } as Press);
  const shown = () => {
    const { dialog } = store.get();
    return dialog?.kind === 'pick' ? dialog.picker.items.map(({ label }) => label) : undefined;
  };
  await expect.poll(shown).toEqual(['first']);
  press('b');
  press('a');
  quick.resolve('of ctrl+a');
  await expect.poll(shown).toEqual(['of ctrl+a']);
  slow.resolve('of ctrl+b');
  await slow.promise;
  await new Promise(setImmediate);
  expect(shown()).toEqual(['of ctrl+a']);
});

it('keeps what it shows of an item as long as the cursor is on it, and shows it again when that comes back', async () => {
  const store = createStore({} as ScreenState);
  const { commands, key } = dialogs({ store } as Host, { enter: async () => {}, leave: async () => {} });
  const preview = async (value: string) => `all of ${value}`;
  void commands.pick({ title: 'Which?', items: [{ value: 'one', label: 'one' }], searched: true, preview });
  const press = (name: string, text = ''): void =>
    key({ name, ctrl: false, alt: false, shift: false, text } as Press);
  const shown = () => {
    const { dialog } = store.get();
    return dialog?.kind === 'pick' ? (dialog.picker.preview ?? '') : undefined;
  };
  await expect.poll(shown).toBe('all of one');
  press('up');
  expect(shown()).toBe('all of one');
  press('text', 'z');
  expect(shown()).toBe('');
  press('backspace');
  await expect.poll(shown).toBe('all of one');
});
