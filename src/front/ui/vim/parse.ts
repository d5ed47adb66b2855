import type { Operator } from './operators.ts';

/** A whole command of normal or visual mode, as typed. */
export type Command =
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'motion'; readonly keys: string; readonly count?: number }
  | { readonly kind: 'object'; readonly keys: string }
  | { readonly kind: 'lines'; readonly operator: Operator; readonly count: number }
  | {
      readonly kind: 'operate';
      readonly operator: Operator;
      readonly target: 'motion' | 'object';
      readonly keys: string;
      readonly count?: number;
    }
  | { readonly kind: 'simple'; readonly keys: string; readonly count?: number };

const whole = /^([1-9]\d*)?(?:([dcy<>])([1-9]\d*)?)?(.*)$/su;
const motionKeys = /^([hjklwbeWBE0^$G;, ]|gg|[fFtT].)$/su;
const objectKeys = /^[ia][wW"'`()b[\]{}B<>]$/;
const simpleKeys = /^([iIaAoOvVxXDCsSYpPJu.~/?]|r.)$/su;
const unfinished = /^[gfFtTr]?$/;

/** What the keys typed so far mean; `visual` has operators without a target. */
export function parse(keys: string, visual: boolean): Command {
  const [, first, operator, second, rest = ''] = whole.exec(keys) ?? [];
  const count = first || second ? Number(first ?? 1) * Number(second ?? 1) : undefined;
  const counted = count === undefined ? {} : { count: Math.min(count, 9999) };
  if (visual) {
    if (operator && rest === '') return { kind: 'simple', keys: operator, ...counted };
    if (objectKeys.test(rest)) return { kind: 'object', keys: rest };
    if (motionKeys.test(rest)) return { kind: 'motion', keys: rest, ...counted };
    if (unfinished.test(rest) || /^[ia]$/.test(rest)) return { kind: 'pending' };
    return simpleKeys.test(rest) ? { kind: 'simple', keys: rest, ...counted } : { kind: 'unknown' };
  }
  if (operator) {
    const op = operator as Operator;
    if (rest === operator) return { kind: 'lines', operator: op, count: counted.count ?? 1 };
    if (motionKeys.test(rest))
      return { kind: 'operate', operator: op, target: 'motion', keys: rest, ...counted };
    if (objectKeys.test(rest)) return { kind: 'operate', operator: op, target: 'object', keys: rest };
    return (unfinished.test(rest) && rest !== 'r') || /^[ia]$/.test(rest)
      ? { kind: 'pending' }
      : { kind: 'unknown' };
  }
  if (motionKeys.test(rest)) return { kind: 'motion', keys: rest, ...counted };
  if (simpleKeys.test(rest)) return { kind: 'simple', keys: rest, ...counted };
  return unfinished.test(rest) ? { kind: 'pending' } : { kind: 'unknown' };
}
