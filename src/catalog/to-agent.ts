import type { AgentDefinition } from '../contract/agent.ts';
import type { HookGroup, HookSource } from '../contract/hook.ts';
import { safeText } from '../lib/safe-text.ts';
import { bodyOf } from './body.ts';
import { effortOf, memoryOf, modelOf, modeOf, turnsOf } from './checks.ts';
import type { Found } from './definition.ts';
import { pick, pickFlag, pickList, pickText } from './fields.ts';
import type { Place } from './places.ts';
import { agentName } from './precedence.ts';
import { knownTools, resolveTools } from './tool-list.ts';

/** Reads a `hooks` value; wrong shapes cost only themselves. */
export type ParseHooks = (
  raw: unknown,
  origin: Omit<HookSource, 'groups'>,
) => { readonly source: HookSource; readonly problems: readonly { readonly text: string }[] };

export interface Executables {
  /** Whether hooks, servers and grants of this file of a project or a plugin count. */
  trusted(path: string, plugin?: Place['plugin']): boolean;
  readonly parseHooks: ParseHooks;
}

/** Parts that run something or widen something count from everywhere but an untrusted project. */
export const mayExecute = (found: Found, { trusted }: Pick<Executables, 'trusted'>): boolean =>
  (found.source !== 'project' && found.source !== 'plugin') || trusted(found.path, found.place.plugin);

/** The hooks a definition carries, live while its agent or skill is. */
export const hooksOf = (
  found: Found,
  source: 'skill' | 'agent',
  executables: Executables,
): HookSource | undefined => {
  const raw = pick(found.fields, 'hooks');
  if (raw === undefined) return undefined;
  const { plugin, foreign } = found.place;
  return executables.parseHooks(raw, {
    source,
    path: found.path,
    foreign,
    active: mayExecute(found, executables),
    ...(plugin ? { pluginRoot: plugin.root } : {}),
  }).source;
};

const serversOf = (found: Found): readonly unknown[] | undefined => {
  const value = pick(found.fields, 'mcpServers');
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return pickList(found.fields, 'mcpServers');
  return typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, server]) => ({ [name]: server }))
    : undefined;
};

const groupsOf = (found: Found, executables: Executables): readonly HookGroup[] =>
  hooksOf(found, 'agent', executables)?.groups ?? [];

/** What a plugin's agent may not bring (conventions 4), nor one of an untrusted project. */
const executableParts = (found: Found, executables: Executables): Partial<AgentDefinition> => {
  const permissionMode = modeOf(found.fields);
  if (found.place.plugin) return {};
  if (!mayExecute(found, executables)) return { ...(permissionMode ? { permissionMode } : {}) };
  const hooks = groupsOf(found, executables);
  const mcpServers = serversOf(found);
  return {
    ...(permissionMode ? { permissionMode } : {}),
    ...(hooks.length > 0 ? { hooks } : {}),
    ...(mcpServers ? { mcpServers } : {}),
  };
};

/** A file becomes an agent. Its prompt is read when somebody asks for it. */
export const toAgent = (found: Found, executables: Executables): AgentDefinition => {
  const { fields } = found;
  const { tools } = knownTools(fields);
  const disallowed = pickList(fields, 'disallowedTools');
  const skills = pickList(fields, 'skills');
  const model = modelOf(fields);
  const maxTurns = turnsOf(fields);
  const memory = memoryOf(fields);
  const color = pickText(fields, 'color');
  const effort = effortOf(fields);
  const initialPrompt = pickText(fields, 'initialPrompt');
  let prompt: string | undefined;
  return {
    name: agentName(found),
    description: safeText(found.description),
    get prompt() {
      prompt ??= bodyOf(found);
      return prompt;
    },
    ...(tools ? { tools } : {}),
    ...(disallowed ? { disallowedTools: resolveTools(disallowed).tools } : {}),
    ...(model ? { model } : {}),
    ...(maxTurns ? { maxTurns } : {}),
    ...(skills ? { skills } : {}),
    ...(memory ? { memory } : {}),
    ...(pickFlag(fields, 'background') ? { background: true } : {}),
    ...(pickText(fields, 'isolation') === 'worktree' ? { isolation: 'worktree' } : {}),
    ...(color ? { color } : {}),
    ...(effort ? { effort } : {}),
    ...(initialPrompt ? { initialPrompt } : {}),
    ...executableParts(found, executables),
    source: found.source,
    path: found.path,
    ...(found.place.foreign ? { foreign: true } : {}),
  };
};
