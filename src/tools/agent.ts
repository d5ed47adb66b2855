import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { AgentDefinition, Agents } from '../contract/agent.ts';
import type { PreparedCall, Tool, ToolContext, ToolOutcome } from '../contract/tool.ts';
import { nearNames } from '../lib/near-names.ts';
import description from './agent.md';
import { awayText, type Ended, footer, runAgent, statusOf, toolCalls } from './agent-run.ts';
import { defineTool } from './define.ts';

export interface AgentToolDeps {
  agents(): Agents;
  definitions(): readonly AgentDefinition[];
  /** False takes `name` and `team_name` away (ruling 39). */
  readonly swarms: boolean;
}

const GENERAL = 'general-purpose';
const MOST_WORDS = 5;

const fields = {
  prompt: z.string().describe('The task; the agent knows only this'),
  description: z.string().describe('What it does, in 3 to 5 words, for the person'),
  subagent_type: z.string().optional().describe('Type of agent; general-purpose if left out'),
  model: z
    .string()
    .optional()
    .describe("small, medium or large; the agent definition's or this conversation's if left out"),
  run_in_background: z.boolean().optional().describe('Go on at once and be told when it ends'),
  isolation: z.literal('worktree').optional().describe('Work in a temporary git worktree'),
  cwd: z.string().optional().describe('Absolute directory to work in; not together with isolation'),
};
const swarmFields = {
  name: z.string().optional().describe('A name by which SendMessageTool reaches it while it runs'),
  team_name: z.string().optional().describe('The team it joins; the current one if left out'),
};
const everything = z.object({ ...fields, ...swarmFields });
type Wish = z.output<typeof everything>;

/** The label as it is shown, with a note where it was longer than a label should be. */
const label = (text: string): { readonly label: string; readonly note?: string } => {
  const words = text.trim().split(/\s+/);
  if (words.length <= MOST_WORDS) return { label: words.join(' ') };
  const short = words.slice(0, MOST_WORDS).join(' ');
  return { label: short, note: `[The description was shortened to "${short}"; 3 to 5 words fit.]` };
};

/** A name that no path can have (a zero byte, too many letters) is one that does not exist. */
const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

const findDefinition = (type: string, all: readonly AgentDefinition[]): AgentDefinition | undefined =>
  all.find((one) => one.name === type) ??
  all.find((one) => one.name.toLowerCase() === type.toLowerCase().replace(/^@?agent-/, ''));

const unknownType = (type: string, all: readonly AgentDefinition[]): string => {
  const names = all.map((one) => one.name).toSorted();
  const near = nearNames(type, names)[0];
  return `There is no agent type "${type}".${near ? ` Did you mean ${near}?` : ''} The types are: ${names.join(', ')}.`;
};

/** Everything that can be wrong with a call, before anything is created; the first fault as a sentence. */
const fault = (
  wish: Wish,
  definition: AgentDefinition | undefined,
  deps: AgentToolDeps,
): string | undefined => {
  if (wish.prompt.trim() === '')
    return 'prompt is empty. The agent knows only its prompt: write the task into it.';
  if (wish.description.trim() === '') return 'description is empty. Say in 3 to 5 words what the agent does.';
  if (wish.cwd !== undefined && wish.isolation !== undefined)
    return 'cwd cannot be combined with isolation: "worktree". Leave one of them out: a worktree is a directory of its own.';
  if (wish.cwd !== undefined && !isAbsolute(wish.cwd))
    return `cwd must be an absolute path, not "${wish.cwd}".`;
  if (wish.cwd !== undefined && !isDirectory(wish.cwd))
    return `cwd is ${wish.cwd}, which is not a directory that exists.`;
  if (!deps.swarms && (wish.name !== undefined || wish.team_name !== undefined))
    return `${wish.name === undefined ? 'team_name' : 'name'} needs agent swarms, which are off. Leave it out, or ask the user to set agentSwarms to true in settings or COPPICE_AGENT_SWARMS=1.`;
  if (wish.name !== undefined && wish.name.trim() === '')
    return 'name is empty. Leave it out or give a name.';
  const all = deps.definitions();
  if (!definition) return unknownType(wish.subagent_type ?? GENERAL, all);
  if (definition.tools?.length === 0)
    return `The agent type "${definition.name}" cannot be started: none of the tools it lists is known here. Mend its definition${definition.path ? ` (${definition.path})` : ''} or use another type.`;
  return undefined;
};

const outcome = (ended: Ended, wish: Wish, notes: readonly string[]): ToolOutcome => {
  const joined = (text: string) => [text, ...notes].join('\n\n');
  switch (ended.kind) {
    case 'refused':
      return { status: 'error', text: joined(ended.text) };
    case 'away':
      return {
        status: 'ok',
        text: joined(awayText(ended.handle)),
        display: { kind: 'text', summary: 'in the background', body: ended.handle.output },
        response: {
          status: 'async_launched',
          agentId: ended.handle.id,
          description: wish.description,
          prompt: wish.prompt,
          outputFile: ended.handle.output,
        },
      };
    case 'done': {
      const { handle, result } = ended;
      return {
        status: statusOf(result),
        text: joined(`${result.text}\n\n${footer(handle, result)}`),
        display: {
          kind: 'markdown',
          summary: `${result.status} · ${toolCalls(result)}`,
          body: result.text,
        },
        response: {
          status: result.status === 'done' ? 'completed' : result.status,
          agentId: handle.id,
          content: [{ type: 'text', text: result.text }],
          totalToolUseCount: result.toolCalls,
          totalDurationMs: result.ms,
          totalTokens: result.tokens,
          prompt: wish.prompt,
          ...(result.worktree
            ? { worktreePath: result.worktree.path, worktreeBranch: result.worktree.branch }
            : {}),
        },
      };
    }
  }
};

const call = (deps: AgentToolDeps, given: Wish): PreparedCall | { readonly invalid: string } => {
  const definition = findDefinition(given.subagent_type ?? GENERAL, deps.definitions());
  const wrong = fault(given, definition, deps);
  if (wrong !== undefined || !definition)
    return { invalid: wrong ?? unknownType(GENERAL, deps.definitions()) };
  const shown = label(given.description);
  const wish: Wish = { ...given, subagent_type: definition.name };
  // A teammate never holds up its lead.
  const background =
    wish.team_name !== undefined || (wish.run_in_background ?? definition.background ?? false);
  const isolation = wish.isolation ?? (wish.cwd === undefined ? definition.isolation : undefined);
  const run = async (ctx: ToolContext): Promise<ToolOutcome> => {
    const ended = await runAgent(
      deps.agents(),
      {
        prompt: wish.prompt,
        label: shown.label,
        type: definition.name,
        background,
        ...(wish.name === undefined ? {} : { name: wish.name.trim() }),
        ...(wish.team_name === undefined ? {} : { team: wish.team_name }),
        ...(wish.model === undefined ? {} : { model: wish.model }),
        ...(wish.cwd === undefined ? {} : { cwd: wish.cwd }),
        ...(isolation === undefined ? {} : { isolation }),
      },
      ctx,
    );
    return outcome(ended, wish, shown.note ? [shown.note] : []);
  };
  return { input: wish, subject: shown.label, readOnly: false, parallel: true, run };
};

/** Starts sub-agents (spec 4.1). With swarms off the model is not offered names, and one that is given is refused. */
export const agentTool = (deps: AgentToolDeps): Tool => {
  const whole = defineTool({
    name: 'AgentTool',
    description,
    input: everything,
    renamed: {
      agent_type: 'subagent_type',
      type: 'subagent_type',
      task: 'prompt',
      background: 'run_in_background',
    },
    call: (wish) => call(deps, wish),
  });
  if (deps.swarms) return whole;
  const { schema } = defineTool({
    name: 'AgentTool',
    description,
    input: z.object(fields),
    call: (wish) => call(deps, wish),
  });
  return { schema, prepare: whole.prepare };
};
