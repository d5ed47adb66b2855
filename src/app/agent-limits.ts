/** How deep agents may nest, how many may run at once and how long they are waited for: settings, else the variables that people set for it. */
import type { World } from './world.ts';

const DEPTH = 3;
const AT_ONCE = 20;

const whole = (text: string | undefined, least: number): number | undefined => {
  const number = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isInteger(number) && number >= least ? number : undefined;
};

export const agentLimits = (
  world: Pick<World, 'env' | 'loaded'>,
): { readonly depth: number; readonly running: number } => {
  const env = world.env();
  const { agentDepth, agentsAtOnce } = world.loaded().settings.limits ?? {};
  return {
    depth: agentDepth ?? whole(env.CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH, 0) ?? DEPTH,
    running: agentsAtOnce ?? whole(env.CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS, 1) ?? AT_ONCE,
  };
};

const WAIT_MS = 600_000;

/** Milliseconds that a run without a person waits for background agents. */
export const waitCeiling = (world: Pick<World, 'env'>): number =>
  Number(world.env().CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS) || WAIT_MS;
