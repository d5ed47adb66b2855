/** Owns the protocol library: one live connection to one server, loaded only when a server is configured. */
import { pathToFileURL } from 'node:url';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { Elicitation, ElicitationAnswer, ServerConfig } from '../contract/server.ts';
import { isSessionGone } from './session-gone.ts';
import { type GroupGuard, type StdioTransport, stdioTransport } from './stdio.ts';
import { inTime, messageOf } from './trouble.ts';

export interface ConnectionEvents {
  /** Tools, prompts or resources changed. */
  changed(): void;
  closed(why: string): void;
  log(line: string): void;
  elicit(request: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer>;
}

export interface ConnectionPlace {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Absolute directories. */
  roots(): readonly string[];
  readonly version: string;
  readonly startMs: number;
  /** Goes through the proxy that the environment names. */
  readonly fetch?: typeof globalThis.fetch;
  readonly guard?: GroupGuard;
}

export type Connection = Client;

export interface Link {
  /** Rejects when the server does not answer within its time. */
  readonly ready: Promise<Connection>;
  /** Ends a program and all it started. */
  end(): Promise<void>;
}

/** A stream that broke may mean a server that is gone: how long it may take to answer a call of its name. */
const PING_MS = 5000;
/** How long an address may take to say goodbye. */
const GOODBYE_MS = 300;

const httpTransport = (
  config: Extract<ServerConfig, { url: string }>,
  place: ConnectionPlace,
  authProvider: OAuthClientProvider | undefined,
): Transport => {
  const options = {
    requestInit: { headers: { ...config.headers } },
    ...(place.fetch ? { fetch: place.fetch } : {}),
    ...(authProvider ? { authProvider } : {}),
  };
  return config.type === 'sse'
    ? new SSEClientTransport(new URL(config.url), options)
    : new StreamableHTTPClientTransport(new URL(config.url), {
        ...options,
        reconnectionOptions: {
          initialReconnectionDelay: 500,
          maxReconnectionDelay: 8000,
          reconnectionDelayGrowFactor: 2,
          maxRetries: 5,
        },
      });
};

const clientFor = (place: ConnectionPlace, events: ConnectionEvents): Connection => {
  const client = new Client(
    { name: 'coppice', version: place.version },
    { capabilities: { roots: { listChanged: true }, elicitation: {} } },
  );
  client.setRequestHandler(ListRootsRequestSchema, async () => ({
    roots: place.roots().map((path) => ({ uri: pathToFileURL(path).href, name: path })),
  }));
  client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) =>
    'requestedSchema' in params
      ? await events.elicit({ message: params.message, schema: { ...params.requestedSchema } }, signal)
      : { action: 'decline' },
  );
  client.setNotificationHandler(LoggingMessageNotificationSchema, async ({ params }) =>
    events.log(typeof params.data === 'string' ? params.data : JSON.stringify(params.data)),
  );
  for (const schema of [
    ToolListChangedNotificationSchema,
    PromptListChangedNotificationSchema,
    ResourceListChangedNotificationSchema,
  ] as const)
    client.setNotificationHandler(schema, async () => events.changed());
  return client;
};

const programLink = (
  config: Extract<ServerConfig, { command: string }>,
  place: ConnectionPlace,
  events: ConnectionEvents,
): Link => {
  const said: string[] = [];
  const transport: StdioTransport = stdioTransport(
    {
      command: config.command,
      args: config.args,
      env: { ...place.env, ...config.env },
      cwd: config.cwd ?? place.cwd,
    },
    (line) => {
      if (said.push(line) > 3) said.shift();
      events.log(line);
    },
    place.guard,
  );
  const client = clientFor(place, events);
  client.onclose = () => events.closed(transport.ending() ?? 'It closed the connection.');
  return {
    ready: client.connect(transport, { timeout: place.startMs }).then(
      () => client,
      (error: unknown) => {
        const why = transport.ending() ?? messageOf(inTime(error, place.startMs, 'MCP_TIMEOUT'));
        throw new Error(said.length > 0 ? `${why} It said: ${said.join(' / ')}` : why);
      },
    ),
    end: () => transport.close(),
  };
};

const addressLink = (
  config: Extract<ServerConfig, { url: string }>,
  place: ConnectionPlace,
  events: ConnectionEvents,
  auth: OAuthClientProvider | undefined,
): Link => {
  const transport = httpTransport(config, place, auth);
  const client = clientFor(place, events);
  let open = false;
  let asking = false;
  client.onclose = () => events.closed('It closed the connection.');
  // A stream that breaks leaves its calls waiting for ever: when the server is gone they are told so.
  client.onerror = (error) => {
    events.log(error.message);
    // A refused request is no stream that broke: who asked hears of it.
    if (!open || asking || isSessionGone(error)) return;
    asking = true;
    client
      .ping({ timeout: PING_MS })
      .catch(() => client.close())
      .finally(() => {
        asking = false;
      });
  };
  return {
    ready: client.connect(transport, { timeout: place.startMs }).then(
      () => {
        open = true;
        return client;
      },
      (error: unknown) => {
        throw inTime(error, place.startMs, 'MCP_TIMEOUT');
      },
    ),
    async end() {
      const goodbye =
        transport instanceof StreamableHTTPClientTransport && open
          ? transport.terminateSession().catch(() => undefined)
          : Promise.resolve();
      open = false;
      await Promise.race([goodbye, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS).unref())]);
      await client.close().catch(() => undefined);
    },
  };
};

/** Begins to connect; what is begun can be ended at any time. */
export const openLink = (
  config: ServerConfig,
  place: ConnectionPlace,
  events: ConnectionEvents,
  auth?: OAuthClientProvider,
): Link =>
  config.type === 'stdio' ? programLink(config, place, events) : addressLink(config, place, events, auth);
