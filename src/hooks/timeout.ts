/** Time limits of hooks (ruling 26, conventions 1). */
import type { HookEvent, HookHandler } from '../contract/hook.ts';
import type { Variables } from './environment.ts';
import { eventFacts } from './events.ts';

const DEFAULT_S = { command: 600, http: 600, prompt: 30, agent: 60 } as const;
const LONGEST_MS = 2 ** 31 - 1;
const CLOSING_S = 1.5;
const CLOSING_LONGEST_S = 60;

/** Milliseconds. Fractions of a second count; nothing overflows a timer. */
export const timeoutOf = (event: HookEvent, handler: HookHandler): number => {
  const seconds = handler.timeout ?? usual(event, handler.type);
  return Math.min(Math.max(1, Math.round(seconds * 1000)), LONGEST_MS);
};

const usual = (event: HookEvent, type: HookHandler['type']): number => {
  const byEvent = type === 'command' || type === 'http' ? eventFacts[event].timeout : undefined;
  return byEvent ?? DEFAULT_S[type];
};

/** SessionEnd: all of its hooks share one short time, since somebody waits for the program to be gone. Milliseconds. */
export const closingBudget = (handlers: readonly HookHandler[], env: Variables): number => {
  const told = Number(env.COPPICE_SESSIONEND_HOOKS_TIMEOUT_MS ?? env.CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS);
  if (told > 0) return Math.min(told, LONGEST_MS);
  const longest = Math.max(CLOSING_S, ...handlers.map((one) => one.timeout ?? 0));
  return Math.min(longest, CLOSING_LONGEST_S) * 1000;
};
