/** Waits for an agent in the foreground, or lets it go on in the background. Shared by AgentTool and SkillTool. */
import type { AgentHandle, AgentResult, Agents, SpawnRequest } from '../contract/agent.ts';
import type { ToolContext, ToolOutcome } from '../contract/tool.ts';
import { awayWish } from './away.ts';

export type Ended =
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'away'; readonly handle: AgentHandle }
  | { readonly kind: 'done'; readonly handle: AgentHandle; readonly result: AgentResult };

/** A foreground agent ends with the turn, one in the background does not. */
export const runAgent = async (
  agents: Agents,
  request: Omit<SpawnRequest, 'signal' | 'parent' | 'call'>,
  ctx: ToolContext,
): Promise<Ended> => {
  const own = new AbortController();
  const halt = () => own.abort();
  if (!request.background) {
    if (ctx.signal.aborted) halt();
    ctx.signal.addEventListener('abort', halt, { once: true });
  }
  const wish = awayWish(ctx);
  const letGo = () => {
    ctx.signal.removeEventListener('abort', halt);
    wish.forget();
  };
  try {
    const handle = await agents.spawn({
      ...request,
      parent: ctx.session,
      call: ctx.call,
      signal: own.signal,
    });
    if ('refused' in handle) return { kind: 'refused', text: handle.refused };
    if (request.background) return { kind: 'away', handle };
    const first = await wish.or(handle.result);
    letGo();
    if (first !== 'away') return { kind: 'done', handle, result: first };
    return (await handle.toBackground())
      ? { kind: 'away', handle }
      : { kind: 'done', handle, result: await handle.result };
  } finally {
    letGo();
  }
};

/** What the model learns of an agent that goes on without it. */
export const awayText = (handle: AgentHandle): string =>
  `The agent ${handle.id} runs in the background. You are told once when it ends; go on with other work and do not wait for it. Its result will be in ${handle.output}.`;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

/** How many calls a run made, in words. */
export const toolCalls = ({ toolCalls: count }: Pick<AgentResult, 'toolCalls'>): string =>
  `${count} tool ${count === 1 ? 'call' : 'calls'}`;

/** Facts about a run, for the line below its result. */
export const footer = (handle: AgentHandle, result: AgentResult): string => {
  return `[agent ${handle.id}: ${toolCalls(result)}, ${result.tokens} tokens, ${seconds(result.ms)}.]`;
};

/** `stopped` is the person's doing: the call counts as cancelled. */
export const statusOf = (result: AgentResult): ToolOutcome['status'] =>
  result.status === 'done' ? 'ok' : result.status === 'failed' ? 'error' : 'cancelled';
