/** What a server offers now. A server that lists badly loses what it lists badly, not the rest. */
import * as z from 'zod';
import type { ServerResource } from '../contract/server.ts';
import { errorText } from '../lib/error-text.ts';
import type { Connection } from './connection.ts';

/** More tools than this of one server, or more characters of schemas, would fill the model's window. */
const MOST_TOOLS = 500;
const MOST_SCHEMA_CHARS = 200_000;
const MOST_PROMPTS = 1000;
const MOST_RESOURCES = 10_000;
/** A list that never ends is given up. */
const MOST_PAGES = 1000;

const text = z.string().optional().catch(undefined);
const remoteTool = z.looseObject({
  name: z.string().min(1),
  description: text,
  inputSchema: z.record(z.string(), z.unknown()).catch({}),
  annotations: z
    .looseObject({ readOnlyHint: z.boolean().optional(), title: text })
    .optional()
    .catch(undefined),
});
const remotePrompt = z.looseObject({
  name: z.string().min(1),
  description: text,
  arguments: z
    .array(z.looseObject({ name: z.string(), required: z.boolean().optional() }))
    .optional()
    .catch(undefined),
});
const remoteResource = z.looseObject({ uri: z.string(), name: text, description: text, mimeType: text });
const remoteTemplate = z.looseObject({
  uriTemplate: z.string(),
  name: text,
  description: text,
  mimeType: text,
});

export type RemoteTool = z.infer<typeof remoteTool>;
export type RemotePrompt = z.infer<typeof remotePrompt>;

export interface Offer {
  readonly tools: readonly RemoteTool[];
  /** How many more there are than are offered. */
  readonly toolsLeftOut: number;
  readonly prompts: readonly RemotePrompt[];
  readonly resources: readonly Omit<ServerResource, 'server'>[];
}

export const nothing: Offer = { tools: [], toolsLeftOut: 0, prompts: [], resources: [] };

interface Listing<T> {
  readonly method: 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';
  readonly key: string;
  readonly item: z.ZodType<T>;
}

/** All pages of a list; items that are no such thing are named in the log and left out. */
const listAll = async <T>(
  live: Connection,
  what: Listing<T>,
  log: (line: string) => void,
): Promise<readonly T[]> => {
  const page = z.looseObject({
    [what.key]: z.array(z.unknown()),
    nextCursor: z.string().optional().nullable().catch(undefined),
  });
  const all: T[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const answer = await live.request({ method: what.method, params: cursor ? { cursor } : {} }, page);
    for (const raw of z.array(z.unknown()).catch([]).parse(answer[what.key])) {
      const read = what.item.safeParse(raw);
      if (read.success) all.push(read.data);
      else log(`${what.method}: an entry is wrong (${read.error.issues[0]?.message ?? ''}) and left out.`);
    }
    const next = typeof answer.nextCursor === 'string' ? answer.nextCursor : undefined;
    cursor = next === undefined || cursors.has(next) ? undefined : next;
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined && cursors.size < MOST_PAGES);
  return all;
};

/** A list that fails is empty, and the log says why. */
const listOrNothing = <T>(
  live: Connection,
  what: Listing<T>,
  log: (line: string) => void,
): Promise<readonly T[]> =>
  listAll(live, what, log).catch((error: unknown) => {
    log(`${what.method} failed: ${errorText(error)}`);
    return [];
  });

/** As many as fit; each name once. */
const fitting = (tools: readonly RemoteTool[]): readonly RemoteTool[] => {
  const names = new Set<string>();
  const kept: RemoteTool[] = [];
  let left = MOST_SCHEMA_CHARS;
  for (const tool of tools) {
    if (names.has(tool.name)) continue;
    names.add(tool.name);
    left -= JSON.stringify(tool.inputSchema).length + (tool.description?.length ?? 0);
    if (kept.length === MOST_TOOLS || left < 0) break;
    kept.push(tool);
  }
  return kept;
};

/** Rejects only when the tools of a server that has some cannot be listed. */
export const readOffer = async (live: Connection, log: (line: string) => void): Promise<Offer> => {
  const can = live.getServerCapabilities() ?? {};
  const [tools, prompts, resources, templates] = await Promise.all([
    can.tools ? listAll(live, { method: 'tools/list', key: 'tools', item: remoteTool }, log) : [],
    can.prompts
      ? listOrNothing(live, { method: 'prompts/list', key: 'prompts', item: remotePrompt }, log)
      : [],
    can.resources
      ? listOrNothing(live, { method: 'resources/list', key: 'resources', item: remoteResource }, log)
      : [],
    can.resources
      ? listOrNothing(
          live,
          { method: 'resources/templates/list', key: 'resourceTemplates', item: remoteTemplate },
          // Few servers have templates, and many answer that they do not know the question.
          () => undefined,
        )
      : [],
  ]);
  const kept = fitting(tools);
  const toolsLeftOut = new Set(tools.map(({ name }) => name)).size - kept.length;
  if (toolsLeftOut > 0) log(`Only the first ${kept.length} tools are offered; ${toolsLeftOut} are left out.`);
  return {
    tools: kept,
    toolsLeftOut,
    prompts: prompts.slice(0, MOST_PROMPTS),
    resources: [
      ...resources.map(({ uri, name, description, mimeType }) => ({ uri, name, description, mimeType })),
      ...templates.map(({ uriTemplate, name, description, mimeType }) => ({
        uri: uriTemplate,
        name,
        description,
        mimeType,
        template: true as const,
      })),
    ]
      .slice(0, MOST_RESOURCES)
      .map(({ name, description, mimeType, ...rest }) => ({
        ...rest,
        name: name ?? rest.uri,
        ...(description ? { description } : {}),
        ...(mimeType ? { mimeType } : {}),
      })),
  };
};
