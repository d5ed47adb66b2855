/** All tool servers of a run: started side by side, without holding up anybody. */
import type { ServerConfig, Servers } from '../contract/server.ts';
import { createSeat, type RemotePrompt, type Seat, type SeatDeps } from './seat.ts';

export interface ServersDeps extends SeatDeps {
  readonly configs: readonly ServerConfig[];
}

/** What skills and slash commands need of prompts. */
export interface ServerPrompts {
  prompts(): readonly { readonly server: string; readonly prompt: RemotePrompt }[];
  prompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<{ readonly text: string } | { readonly refused: string }>;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Starts every server at once. One name, one server: the first configuration of a name counts. */
export const createServers = (deps: ServersDeps): Servers & ServerPrompts => {
  const seats = new Map<string, Seat>();
  for (const config of deps.configs)
    if (!seats.has(config.name)) seats.set(config.name, createSeat(config, deps));
  const started = Promise.all([...seats.values()].map((seat) => seat.start()));
  const all = () => [...seats.values()];

  const live = (server: string) => {
    const seat = seats.get(server);
    if (!seat)
      return {
        refused: `There is no server named "${server}". The servers are: ${[...seats.keys()].join(', ') || 'none'}.`,
      };
    return (
      seat.connection() ?? { refused: `The server ${server} is not connected (${seat.state().status}).` }
    );
  };

  return {
    tools: () => all().flatMap((seat) => seat.tools()),
    states: () => all().map((seat) => seat.state()),
    resources: () => all().flatMap((seat) => seat.resources()),
    prompts: () =>
      all().flatMap((seat) => seat.prompts().map((prompt) => ({ server: seat.config.name, prompt }))),
    async prompt(server, name, args, signal) {
      const client = live(server);
      if ('refused' in client) return client;
      try {
        const { messages } = await client.getPrompt({ name, arguments: { ...args } }, { signal });
        return {
          text: messages
            .map(({ content }) =>
              content.type === 'text'
                ? content.text
                : content.type === 'resource' && 'text' in content.resource
                  ? String(content.resource.text)
                  : '',
            )
            .filter((text) => text !== '')
            .join('\n\n'),
        };
      } catch (error) {
        return { refused: `The prompt ${name} of ${server} failed: ${messageOf(error)}` };
      }
    },
    async readResource(server, uri, signal) {
      const client = live(server);
      if ('refused' in client) return client;
      try {
        const { contents } = await client.readResource({ uri }, { signal });
        return {
          text: contents
            .map((one) => ('text' in one ? String(one.text) : `[binary, ${one.mimeType ?? 'unknown type'}]`))
            .join('\n'),
        };
      } catch (error) {
        return { refused: `${uri} of ${server} could not be read: ${messageOf(error)}` };
      }
    },
    async reconnect(name) {
      const seat = seats.get(name);
      if (!seat) return `There is no server named "${name}".`;
      await seat.stop();
      await seat.start();
      return seat.state().error;
    },
    settled: async () => void (await started),
    async close() {
      await Promise.all(all().map((seat) => seat.stop()));
    },
  };
};
