/** One configured server over its whole life: start, list, change, break, come back. */
import type { ServerConfig, ServerResource, ServerState, ServerStatus } from '../contract/server.ts';
import type { Tool } from '../contract/tool.ts';
import { targetOf } from './config.ts';
import type { Connection, ConnectionEvents, ConnectionPlace } from './connection.ts';
import type { ContentPart } from './content.ts';
import { type RemoteTool, serverTool } from './server-tool.ts';

const MOST_TOOLS = 500;
const LOG_LINES = 200;
const TRIES = 5;
const FIRST_PAUSE_MS = 500;

export interface RemotePrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments?: readonly { readonly name: string; readonly required?: boolean }[];
}

export interface Seat {
  readonly config: ServerConfig;
  state(): ServerState;
  tools(): readonly Tool[];
  prompts(): readonly RemotePrompt[];
  resources(): readonly ServerResource[];
  connection(): Connection | undefined;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface SeatDeps {
  readonly place: ConnectionPlace;
  readonly callMs: number;
  elicit(
    server: string,
    request: Parameters<ConnectionEvents['elicit']>[0],
  ): ReturnType<ConnectionEvents['elicit']>;
  spill(server: string, text: string): Promise<string>;
  /** Something about this server changed: its state or what it offers. */
  changed(): void;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const createSeat = (config: ServerConfig, deps: SeatDeps): Seat => {
  let status: ServerStatus = 'starting';
  let error: string | undefined;
  let client: Connection | undefined;
  let tools: readonly Tool[] = [];
  let prompts: readonly RemotePrompt[] = [];
  let resources: readonly ServerResource[] = [];
  let stopped = false;
  const log: string[] = [];

  const note = (line: string): void => {
    log.push(line);
    if (log.length > LOG_LINES) log.shift();
  };
  const move = (next: ServerStatus, why?: string): void => {
    status = next;
    error = why;
    deps.changed();
  };

  const call = async (
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    progress: (text: string) => void,
  ) => {
    if (!client)
      throw new Error(`The server ${config.name} is not connected (${status}). /mcp reconnects it.`);
    const result = await client.callTool({ name, arguments: { ...input } }, undefined, {
      signal,
      timeout: config.timeoutMs ?? deps.callMs,
      resetTimeoutOnProgress: true,
      onprogress: ({ progress: done, total, message }) =>
        progress(`${message ?? ''} ${done}${total === undefined ? '' : `/${total}`}\n`),
    });
    return {
      content: (Array.isArray(result.content) ? result.content : []) as readonly ContentPart[],
      structuredContent: result.structuredContent,
      isError: result.isError === true,
    };
  };

  const listTools = async (live: Connection): Promise<readonly RemoteTool[]> => {
    const all: RemoteTool[] = [];
    let cursor: string | undefined;
    do {
      const page = await live.listTools(cursor === undefined ? {} : { cursor });
      all.push(...(page.tools as readonly RemoteTool[]));
      cursor = page.nextCursor;
    } while (cursor !== undefined && all.length < MOST_TOOLS);
    if (all.length > MOST_TOOLS) note(`Only the first ${MOST_TOOLS} tools of this server are offered.`);
    return all.slice(0, MOST_TOOLS);
  };

  const refresh = async (): Promise<void> => {
    const live = client;
    if (!live) return;
    const can = live.getServerCapabilities() ?? {};
    const [offered, asked, held] = await Promise.all([
      can.tools ? listTools(live) : [],
      can.prompts ? live.listPrompts().then((page) => page.prompts as readonly RemotePrompt[]) : [],
      can.resources ? live.listResources().then((page) => page.resources) : [],
    ]);
    const seen = new Set<string>();
    tools = offered
      .filter((tool) => !seen.has(tool.name) && seen.add(tool.name))
      .map((tool) =>
        serverTool(tool, { server: config.name, call, spill: (text) => deps.spill(config.name, text) }),
      )
      .toSorted((a, b) => (a.schema.name < b.schema.name ? -1 : 1));
    prompts = asked;
    resources = held.map((one) => ({
      server: config.name,
      uri: one.uri,
      name: one.name,
      ...(one.description ? { description: one.description } : {}),
      ...(one.mimeType ? { mimeType: one.mimeType } : {}),
    }));
    deps.changed();
  };

  const events: ConnectionEvents = {
    changed: () => void refresh().catch((failed: unknown) => note(messageOf(failed))),
    closed(why) {
      client = undefined;
      if (stopped) return;
      note(why);
      void comeBack(why);
    },
    log: note,
    elicit: (request) => deps.elicit(config.name, request),
  };

  const open = async (): Promise<void> => {
    const { connect } = await import('./connection.ts');
    client = await connect(config, deps.place, events);
    await refresh();
    move('connected');
  };

  /** Tries again with growing pauses; then it stays failed until somebody reconnects it. */
  const comeBack = async (why: string): Promise<void> => {
    tools = [];
    move('reconnecting', why);
    for (let attempt = 0; attempt < TRIES && !stopped; attempt += 1) {
      await pause(FIRST_PAUSE_MS * 2 ** attempt);
      if (stopped) return;
      try {
        await open();
        return;
      } catch (failed) {
        note(messageOf(failed));
      }
    }
    if (!stopped) move('failed', why);
  };

  return {
    config,
    state: () => ({
      name: config.name,
      status,
      scope: config.scope,
      source: config.source,
      target: targetOf(config),
      ...(error ? { error } : {}),
      tools: tools.map((tool) => tool.schema.name),
      prompts: prompts.map((prompt) => prompt.name),
      resources: resources.length,
      log: [...log],
    }),
    tools: () => tools,
    prompts: () => prompts,
    resources: () => resources,
    connection: () => client,
    async start() {
      stopped = false;
      move('starting');
      try {
        await open();
      } catch (failed) {
        move('failed', messageOf(failed));
        note(messageOf(failed));
      }
    },
    async stop() {
      stopped = true;
      const live = client;
      client = undefined;
      tools = [];
      const transport = live?.transport as
        | { readonly pid?: number | null; close?(): Promise<void> }
        | undefined;
      if (!transport) return;
      // The library waits seconds for a program to end by itself; ours has no time for that.
      if (typeof transport.pid === 'number') await endProcess(transport.pid);
      else void transport.close?.().catch(() => undefined);
    },
  };
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const endProcess = async (pid: number): Promise<void> => {
  try {
    process.kill(pid, 'SIGTERM');
    for (let waited = 0; waited < 300 && isAlive(pid); waited += 20)
      await new Promise((resolve) => setTimeout(resolve, 20));
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
};
