/** Whoever works in a worktree keeps its hands off the main checkout, whatever rules and modes allow. */
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

/**
 * Sub-agents are refused, since nobody watches each of their calls; in a conversation that moved into a worktree the
 * person decides, in every mode, unless the main checkout was added to its folders.
 */
export const guarded =
  (judge: Judge, home: string): Judge =>
  (call, state) => {
    const main = mainAround(state);
    if (main === undefined || (state.parent === undefined && state.directories.includes(main)))
      return judge(call, state);
    const where = outsideCheckout(call, plainWorld(state, home), main);
    const judgement = judge(call, state);
    if (where === undefined || judgement.decision === 'deny') return judgement;
    const asks = state.parent === undefined && state.mode !== 'dontAsk';
    return {
      decision: asks ? 'ask' : 'deny',
      by: 'mode',
      reason: asks
        ? `The session works in the worktree ${state.checkout}, and this may change the main checkout (${where}).`
        : `You work in the worktree ${state.checkout}, and this may change the main checkout (${where}). ${where.startsWith('git ') ? 'Leave that to the main session' : 'Use the same path below the worktree'}; your work is merged from there later.`,
      trace: [],
      suggestions: [],
      firm: true,
    };
  };
