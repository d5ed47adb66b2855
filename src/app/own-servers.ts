/** Tool servers that an agent's definition names or brings: named ones are offered to it, its own run as long as it does. */
import * as z from 'zod';
import type { AgentDefinition } from '../contract/agent.ts';
import type { ServerConfig, Servers } from '../contract/server.ts';
import { readServers } from '../servers/config.ts';
import { safeServer } from '../servers/names.ts';
import type { ServerHouse } from './server-house.ts';
import type { World } from './world.ts';

const entries = z.array(z.union([z.string(), z.record(z.string(), z.unknown())]));

const scopeOf = (definition: AgentDefinition): ServerConfig['scope'] =>
  definition.source === 'builtin' ? 'user' : definition.source;

/** A list of tools does not keep an agent from the servers that its definition names beside it. */
export const withServers = (definition: AgentDefinition): AgentDefinition => {
  const named = (entries.safeParse(definition.mcpServers).data ?? []).flatMap((entry) =>
    typeof entry === 'string' ? [entry] : Object.keys(entry),
  );
  return definition.tools === undefined || named.length === 0
    ? definition
    : { ...definition, tools: [...definition.tools, ...named.map((name) => `mcp__${safeServer(name)}`)] };
};

export interface OwnServersDeps {
  readonly world: World;
  readonly servers: ServerHouse;
}

/** Starts what a definition brings itself; undefined where that is nothing. */
export const ownServers = (
  definition: AgentDefinition,
  { servers, world }: OwnServersDeps,
): Servers | undefined => {
  const brought = Object.assign(
    {},
    ...(entries.safeParse(definition.mcpServers).data ?? []).filter((entry) => typeof entry !== 'string'),
  ) as Readonly<Record<string, unknown>>;
  if (Object.keys(brought).length === 0) return undefined;
  const source = definition.path ?? definition.name;
  const read = readServers({ mcpServers: brought }, { source, scope: scopeOf(definition) }, world.childEnv());
  for (const problem of read.problems) servers.tell(problem);
  return servers.own(read.servers);
};
