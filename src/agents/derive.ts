/** A child's opening state: never more than its parent may do (ruling 31). */
import type { AgentDefinition, SpawnRequest } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import { stricter } from '../contract/mode.ts';
import type { SessionState } from '../contract/state.ts';
import { canonicalName } from '../contract/tool-names.ts';
import type { EntryBody } from '../contract/transcript.ts';

type Opened = Extract<EntryBody, { type: 'opened' }>;

export interface Derived {
  readonly id: SessionId;
  readonly request: SpawnRequest;
  readonly definition: AgentDefinition;
  readonly model: string;
  readonly cwd: string;
  readonly checkout: string;
  readonly depth: number;
  /** Calls of earlier runs, where they are known from the transcript alone. */
  readonly toolCalls?: number;
}

/** Parent's mode or the definition's, whichever is stricter; plan mode of the parent always binds. */
export const openingOf = (derived: Derived): Opened => {
  const { request, definition } = derived;
  const parent = request.parent;
  const wished = request.mode ?? definition.permissionMode;
  return {
    type: 'opened',
    source: 'startup',
    agent: {
      id: derived.id,
      type: definition.name,
      ...(request.name ? { name: request.name } : {}),
      ...(definition.color ? { color: definition.color } : {}),
    },
    root: parent.root,
    parent: parent.id,
    cwd: derived.cwd,
    project: parent.project,
    checkout: derived.checkout,
    model: derived.model,
    mode: wished ? stricter(parent.mode, wished) : parent.mode,
    ...((definition.effort ?? parent.effort) ? { effort: definition.effort ?? parent.effort } : {}),
    thinkingTokens: parent.thinkingTokens,
    directories: parent.directories,
    taskList: parent.taskList,
    ...((request.team ?? parent.team) ? { team: request.team ?? parent.team } : {}),
    label: request.label,
    depth: derived.depth,
    ...(request.call ? { call: request.call } : {}),
    ...(request.verifier ? { verifier: true } : {}),
  };
};

/** Tools no child gets: what only a person's own conversation can do. */
const neverInChildren: ReadonlySet<string> = new Set([
  'AskUserQuestion',
  'EnterPlanModeTool',
  'TeamCreateTool',
  'TeamDeleteTool',
]);

/** `Tool(spec)` in a definition names the tool and narrows it; the narrowing is a rule, judged elsewhere. */
const toolOf = (text: string): string => canonicalName(text.replace(/\(.*$/s, '').trim());

const names = (pattern: string, tool: string): boolean =>
  pattern === tool ||
  pattern === '*' ||
  (pattern.endsWith('*') && tool.startsWith(pattern.slice(0, -1))) ||
  (pattern.startsWith('mcp__') && tool.startsWith(`${pattern}__`));

/** Whether an agent of this definition is offered a tool of the conversation. */
const offers = (definition: AgentDefinition, tool: string, teammate: boolean): boolean => {
  const always = teammate && (tool === 'SendMessageTool' || tool.startsWith('Task'));
  if ((definition.disallowedTools ?? []).some((text) => !text.includes('(') && names(toolOf(text), tool)))
    return false;
  if (always || definition.tools === undefined) return true;
  return definition.tools.some((text) => names(toolOf(text), tool));
};

/** Whether a session is offered a tool: what its own definition and those of all above it leave. */
export const mayHave = (state: SessionState, line: readonly AgentDefinition[], tool: string): boolean =>
  !(state.parent !== undefined && neverInChildren.has(tool)) &&
  line.every((definition) => offers(definition, tool, state.team !== undefined));

/** The only ways in which a session may use a tool: one list for each definition of its line that narrows it. */
export const narrowings = (line: readonly AgentDefinition[], tool: string): readonly (readonly string[])[] =>
  line.flatMap(({ tools = [] }) => {
    const named = tools.filter((text) => toolOf(text) === canonicalName(tool));
    return named.length > 0 && named.every((text) => text.includes('(')) ? [named] : [];
  });
