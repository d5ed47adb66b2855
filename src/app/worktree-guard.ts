/** Agents in worktrees keep their hands off the main checkout, whatever rules and modes allow. */
import type { Judgement } from '../contract/permission.ts';
import type { SessionState } from '../contract/state.ts';
import type { JudgedCall } from '../loop/deps.ts';
import { outsideCheckout } from '../permission/outside-checkout.ts';
import { plainWorld } from './plain-world.ts';

type Judge = (call: JudgedCall, state: SessionState) => Judgement;

/** The main checkout around a worktree; undefined where the session works in the project itself. */
const mainAround = (state: SessionState): string | undefined => {
  if (state.checkout === state.project) return undefined;
  return /^(.*)\/\.coppice\/worktrees\/[^/]+$/.exec(state.checkout)?.[1] ?? state.project;
};

/** Sub-agents are refused; the person's own conversation asks, since the main checkout is outside its workspace. */
export const guarded =
  (judge: Judge, home: string): Judge =>
  (call, state) => {
    const main = state.parent === undefined ? undefined : mainAround(state);
    const where = main === undefined ? undefined : outsideCheckout(call, plainWorld(state, home), main);
    if (where === undefined) return judge(call, state);
    return {
      decision: 'deny',
      by: 'mode',
      reason: `You work in the worktree ${state.checkout}, and this would change the main checkout (${where}). Use the same path below the worktree; your work is merged from there later.`,
      trace: [],
      suggestions: [],
      firm: true,
    };
  };
