/** Before a call runs: a known tool, valid input, PreToolUse hooks, the permission gate, a checkpoint. */
import { noVerdict } from '../contract/hook.ts';
import { malformedOf, type ToolUseBlock } from '../contract/message.ts';
import type { PreparedCall, Tool, ToolContext, ToolOutcome } from '../contract/tool.ts';
import { canonicalName } from '../contract/tool-names.ts';
import { errorText } from '../lib/error-text.ts';
import { authorize, isDenied } from './authorize.ts';
import type { Denied, Here } from './deps.ts';

export interface Cleared {
  readonly tool: Tool;
  readonly call: PreparedCall;
  readonly ctx: ToolContext;
  readonly context: readonly string[];
  readonly comment?: string;
  readonly stop?: string;
}

export type Settled = {
  readonly outcome: ToolOutcome;
  readonly context: readonly string[];
  readonly stop?: string;
};

export const contextNote = (event: string, lines: readonly string[]): readonly string[] =>
  lines.map((line) => `${event} hook context: ${line}`);

/** A sentence where the call cannot be made: what a tool throws at its input counts as one. */
const prepared = (tool: Tool, input: unknown, here: Here): PreparedCall | string => {
  try {
    const result = tool.prepare(input, here.state());
    return 'invalid' in result ? result.invalid : result;
  } catch (error) {
    return `${tool.schema.name} cannot take this input: ${errorText(error)}`;
  }
};

const toolFor = (tools: readonly Tool[], { name }: ToolUseBlock): Tool | undefined =>
  tools.find((one) => one.schema.name === canonicalName(name)) ??
  tools.find((one) => one.schema.name === name);

/** A look ahead: only a call that would be parallel may be cleared while others still run. */
export const wouldBeParallel = (here: Here, use: ToolUseBlock): boolean => {
  const tool = toolFor(here.deps.tools(here.state()), use);
  const call = tool && prepared(tool, use.input, here);
  return call !== undefined && typeof call !== 'string' && call.parallel;
};

const contextOf = (here: Here, use: ToolUseBlock, signal: AbortSignal): ToolContext => ({
  session: here.state(),
  call: use.id,
  signal,
  ask: (question) => here.ask(question, signal),
  progress: (text) => here.emit({ type: 'tool.progress', call: use.id, text }),
  backgrounded: here.backgrounded,
});

/** From a call as the model wrote it to one that may run. Never rejects: what cannot be judged does not run. */
export const clear = (here: Here, use: ToolUseBlock, signal: AbortSignal): Promise<Cleared | Settled> =>
  clearing(here, use, signal).catch((error: unknown) =>
    failed(`${canonicalName(use.name)} did not run: ${errorText(error)}`),
  );

const clearing = async (here: Here, use: ToolUseBlock, signal: AbortSignal): Promise<Cleared | Settled> => {
  const tools = here.deps.tools(here.state());
  const tool = toolFor(tools, use);
  if (!tool)
    return failed(
      here.deps.withheld?.(canonicalName(use.name), here.state()) ??
        `There is no tool named ${use.name}. The tools are: ${tools.map((one) => one.schema.name).join(', ')}.`,
    );
  const malformed = malformedOf(use.input);
  if (malformed !== undefined)
    return failed(
      `The input of this ${tool.schema.name} call was not a readable JSON object, so it did not run. It began: ${malformed.slice(0, 200)}`,
    );
  const checked = prepared(tool, use.input, here);
  if (typeof checked === 'string') return failed(checked);
  const ctx = contextOf(here, use, signal);
  const facts = { tool_name: tool.schema.name, tool_use_id: use.id };
  const pre = await here.deps.hooks.dispatch(
    'PreToolUse',
    { ...facts, tool_input: checked.input },
    here.scope(signal),
  );
  // What stops everything stops this call too, whatever else was decided.
  const refused = pre.blocked ?? (pre.decision === 'deny' ? undefined : pre.stop);
  const wanted = refused === undefined ? pre : { ...pre, decision: 'deny' as const, reason: refused };
  const changed =
    wanted.updatedInput && wanted.decision !== 'deny'
      ? prepared(tool, { ...checked.input, ...wanted.updatedInput }, here)
      : checked;
  if (typeof changed === 'string')
    return failed(`A hook changed the input of this call, and then it was not valid: ${changed}`);
  const candidate = { id: use.id, tool: tool.schema.name, ctx };
  const permitted = await authorize(here, { ...candidate, call: changed, pre: wanted });
  const context = contextNote('PreToolUse', pre.context);
  if (isDenied(permitted)) return denial(permitted, context, pre.stop, signal);
  const final = permitted.updatedInput
    ? prepared(tool, { ...changed.input, ...permitted.updatedInput }, here)
    : changed;
  if (typeof final === 'string')
    return failed(`The input was changed while it was allowed, and then it was not valid: ${final}`);
  // Changed input is judged again from the deny rules on; the yes replaces only the final question (ruling 2).
  const again = permitted.updatedInput
    ? await authorize(here, { ...candidate, call: final, pre: { ...noVerdict, decision: 'allow' } })
    : permitted;
  if (isDenied(again)) return denial(again, context, pre.stop, signal);
  await widenPlan(here, tool.schema.name, final);
  const entry = final.readOnly
    ? undefined
    : await here.deps.checkpoint?.(here.state(), tool.schema.name, final, use.id);
  if (entry) await here.record(entry);
  return {
    tool,
    call: final,
    ctx: { ...ctx, session: here.state(), answer: permitted.answer },
    context,
    comment: permitted.comment,
    ...(pre.stop ? { stop: pre.stop } : {}),
  };
};

const denial = (
  denied: Denied,
  context: readonly string[],
  stop: string | undefined,
  signal: AbortSignal,
): Settled => ({
  outcome: {
    status: denied.source === 'person' && signal.aborted ? 'cancelled' : 'denied',
    text: denied.text,
  },
  context,
  stop: stop ?? (denied.interrupt ? 'refused' : undefined),
});

/** A write outside the files of the approved plan was allowed: it asks once per path (ruling 5). */
const widenPlan = async (here: Here, tool: string, call: PreparedCall): Promise<void> => {
  const state = here.state();
  const { planScope } = here.deps.bound?.(state) ?? state;
  const path = call.input.file_path ?? call.input.notebook_path;
  const writes = tool === 'Edit' || tool === 'Write' || tool === 'NotebookEdit';
  if (!writes || !planScope || typeof path !== 'string' || planScope.includes(path)) return;
  await here.record({ type: 'mode', mode: state.mode, planScope: [...planScope, path] });
};

const failed = (text: string): Settled => ({ outcome: { status: 'error', text }, context: [] });

export const isCleared = (value: Cleared | Settled): value is Cleared => 'call' in value;
