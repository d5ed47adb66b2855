import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { AskId, SessionId } from '../../../src/contract/ids.ts';
import { orAborted } from '../../../src/lib/deferred.ts';
import { createAsks } from '../../../src/loop/asks.ts';

const left = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

test('a work is waited for until it is done or a signal fires, and leaves no listener behind', async () => {
  const [one, two] = [new AbortController(), new AbortController()];
  expect(await orAborted(Promise.resolve('done'), one.signal, two.signal)).toBe('done');
  await expect(orAborted(Promise.reject(new Error('broke')), one.signal)).rejects.toThrow('broke');
  const never = orAborted(new Promise(() => undefined), one.signal, two.signal);
  expect([left(one.signal), left(two.signal)]).toEqual([1, 1]);
  two.abort();
  expect(await never).toBeUndefined();
  expect([left(one.signal), left(two.signal)]).toEqual([0, 0]);
  expect(await orAborted(new Promise(() => undefined), two.signal)).toBeUndefined();
});

test('a question that was answered leaves nothing at the signal of its turn, and one that was not ends with it', async () => {
  let next = 0;
  const asks = createAsks({ newId: () => `ask-${++next}` as AskId, emit: () => undefined });
  const turn = new AbortController();
  const put = () =>
    asks.ask(
      { session: 's' as SessionId, agent: 'main' },
      { kind: 'confirm', title: 'Go on?', body: '', options: [] },
      turn.signal,
    );
  const answered = put();
  asks.answer('ask-1' as AskId, { kind: 'confirm', value: 'yes' });
  expect([await answered, left(turn.signal)]).toEqual([{ kind: 'confirm', value: 'yes' }, 0]);
  const open = put();
  turn.abort();
  expect(await open).toMatchObject({ kind: 'none', source: 'interrupt' });
  expect([asks.open(), left(turn.signal)]).toEqual([[], 0]);
});
