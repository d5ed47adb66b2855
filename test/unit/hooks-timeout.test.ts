import { expect, test } from 'vitest';
import type { HookEvent, HookHandler } from '../../src/contract/hook.ts';
import { timeoutOf } from '../../src/hooks/timeout.ts';

const handlers: Readonly<Record<HookHandler['type'], HookHandler>> = {
  command: { type: 'command', command: 'true' },
  http: { type: 'http', url: 'http://localhost' },
  prompt: { type: 'prompt', prompt: 'p' },
  agent: { type: 'agent', prompt: 'p' },
};

const defaults: readonly (readonly [HookHandler['type'], HookEvent, number])[] = [
  ['command', 'PreToolUse', 600_000],
  ['http', 'Stop', 600_000],
  ['prompt', 'Stop', 30_000],
  ['agent', 'Stop', 60_000],
  ['command', 'UserPromptSubmit', 30_000],
];

test.each(defaults)(
  'a %s hook on %s has a limit of its own where none is given: %i ms',
  (type, event, ms) => {
    expect(timeoutOf(event, handlers[type])).toBe(ms);
  },
);

test('a time limit is in seconds, fractions count, and no timer overflows', () => {
  const limited = (timeout: number) => timeoutOf('PreToolUse', { ...handlers.command, timeout });
  expect([5, 0.25, 0, 1e12].map(limited)).toEqual([5000, 250, 1, 2 ** 31 - 1]);
});
