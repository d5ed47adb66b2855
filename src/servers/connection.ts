/** Owns the protocol library: one live connection to one server, loaded only when a server is configured. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
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
import type { ServerConfig } from '../contract/server.ts';

export interface Elicitation {
  readonly message: string;
  readonly schema: Readonly<Record<string, unknown>>;
}
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: 'decline' | 'cancel' };

export interface ConnectionEvents {
  /** Tools, prompts or resources changed. */
  changed(): void;
  closed(why: string): void;
  log(line: string): void;
  elicit(request: Elicitation): Promise<ElicitationAnswer>;
}

export interface ConnectionPlace {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Absolute directories. */
  roots(): readonly string[];
  readonly version: string;
  readonly startMs: number;
}

export type Connection = Client;

const transportOf = (config: ServerConfig, place: ConnectionPlace, events: ConnectionEvents): Transport => {
  if (config.type === 'stdio') {
    const transport = new StdioClientTransport({
      command: config.command,
      args: [...config.args],
      env: { ...place.env, ...config.env },
      cwd: config.cwd ?? place.cwd,
      stderr: 'pipe',
    });
    transport.stderr?.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString('utf8').split('\n')) if (line.trim() !== '') events.log(line);
    });
    return transport;
  }
  const requestInit = { headers: { ...config.headers } };
  return config.type === 'sse'
    ? new SSEClientTransport(new URL(config.url), { requestInit })
    : new StreamableHTTPClientTransport(new URL(config.url), {
        requestInit,
        reconnectionOptions: {
          initialReconnectionDelay: 500,
          maxReconnectionDelay: 8000,
          reconnectionDelayGrowFactor: 2,
          maxRetries: 5,
        },
      });
};

/** Rejects when the server does not answer within its time. */
export const connect = async (
  config: ServerConfig,
  place: ConnectionPlace,
  events: ConnectionEvents,
): Promise<Connection> => {
  const client = new Client(
    { name: 'coppice', version: place.version },
    { capabilities: { roots: { listChanged: true }, elicitation: {} } },
  );
  client.setRequestHandler(ListRootsRequestSchema, async () => ({
    roots: place.roots().map((path) => ({ uri: `file://${encodeURI(path)}`, name: path })),
  }));
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    const schema =
      'requestedSchema' in params && params.requestedSchema
        ? (params.requestedSchema as Record<string, unknown>)
        : {};
    return await events.elicit({ message: params.message, schema });
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, async ({ params }) =>
    events.log(typeof params.data === 'string' ? params.data : JSON.stringify(params.data)),
  );
  for (const schema of [
    ToolListChangedNotificationSchema,
    PromptListChangedNotificationSchema,
    ResourceListChangedNotificationSchema,
  ] as const)
    client.setNotificationHandler(schema, async () => events.changed());
  client.onerror = (error) => events.log(error.message);
  const transport = transportOf(config, place, events);
  await client.connect(transport, { timeout: place.startMs });
  client.onclose = () => events.closed('The server closed the connection.');
  return client;
};
