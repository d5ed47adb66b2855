import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type HookVerdict, noVerdict } from '../../src/contract/hook.ts';
import { fold, join, refusal, settle } from '../../src/hooks/verdict.ts';

const words = fc.string({ minLength: 1, maxLength: 4 });
const may = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const verdict: fc.Arbitrary<HookVerdict> = fc
  .record({
    blocked: may(words),
    blockedBy: may(words),
    decided: may(fc.tuple(fc.constantFrom('allow' as const, 'deny' as const, 'ask' as const), may(words))),
    updatedInput: may(fc.dictionary(fc.constantFrom('a', 'b'), fc.integer())),
    context: fc.array(words, { maxLength: 2 }),
    systemMessages: fc.array(words, { maxLength: 2 }),
    stop: may(words),
    updatedOutput: may(words),
    uncertain: may(words),
    permissionUpdates: may(fc.array(words, { maxLength: 2 })),
    interrupt: may(fc.constant(true)),
    watchPaths: may(fc.array(words, { maxLength: 2 })),
    worktreePath: may(words),
    sessionTitle: may(words),
  })
  .map(({ decided, ...rest }) =>
    join(noVerdict, { ...rest, ...(decided ? { decision: decided[0], reason: decided[1] } : {}) }),
  );
const many = fc.array(verdict, { maxLength: 5 });

describe('the fold of verdicts', () => {
  test('no verdict is its neutral element', () => {
    fc.assert(
      fc.property(verdict, (one) => {
        expect(join(noVerdict, one)).toEqual(one);
        expect(join(one, noVerdict)).toEqual(one);
      }),
    );
  });

  test('it is associative: whoever ends first changes nothing', () => {
    fc.assert(
      fc.property(verdict, verdict, verdict, (a, b, c) => {
        expect(join(join(a, b), c)).toEqual(join(a, join(b, c)));
      }),
    );
  });

  test('the strongest decision wins wherever it stands, with its own reasons only', () => {
    fc.assert(
      fc.property(many, (all) => {
        const order = ['deny', 'ask', 'allow'] as const;
        const winner = order.find((decision) => all.some((one) => one.decision === decision));
        const reasons = all.flatMap((one) => (winner && one.decision === winner ? (one.reason ?? []) : []));
        const folded = fold(all);
        expect(folded.decision).toBe(winner);
        if (winner) expect(folded.reason).toBe(reasons.length > 0 ? reasons.join('\n') : undefined);
      }),
    );
  });

  test('nothing for the model or the person is lost, and all stands in configured order', () => {
    fc.assert(
      fc.property(many, (all) => {
        const folded = fold(all);
        expect(folded.context).toEqual(all.flatMap((one) => one.context));
        expect(folded.systemMessages).toEqual(all.flatMap((one) => one.systemMessages));
        expect(folded.blocked !== undefined).toBe(all.some((one) => one.blocked !== undefined));
        expect(folded.stop !== undefined).toBe(all.some((one) => one.stop !== undefined));
      }),
    );
  });

  test('settling: a denial has no input, doubt leaves no allow, a stop beats going on', () => {
    fc.assert(
      fc.property(many, (all) => {
        const call = settle('PreToolUse', fold(all));
        if (call.decision === 'deny')
          expect([call.updatedInput, call.uncertain]).toEqual([undefined, undefined]);
        if (call.uncertain !== undefined) expect(call.decision).not.toBe('allow');
        const end = settle('Stop', fold(all));
        if (end.stop !== undefined) expect([end.blocked, end.context]).toEqual([undefined, []]);
        expect(settle('PreToolUse', call)).toEqual(call);
      }),
    );
  });
});

test('a no is a denial, a block, or words', () => {
  expect(refusal('PreToolUse', {}, 'r', 'h')).toEqual({
    ...noVerdict,
    decision: 'deny',
    reason: 'r',
    blocked: 'r',
    blockedBy: 'h',
  });
  expect(refusal('Stop', {}, 'r', 'h')).toEqual({ ...noVerdict, blocked: 'r', blockedBy: 'h' });
  expect(refusal('SessionStart', {}, 'r', 'h')).toEqual({ ...noVerdict, systemMessages: ['h: r'] });
  expect(refusal('ConfigChange', { source: 'user_settings' }, 'r', 'h').blocked).toBe('r');
  expect(refusal('ConfigChange', { source: 'policy_settings' }, 'r', 'h').blocked).toBeUndefined();
});
