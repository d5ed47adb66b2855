/** All tool servers of a run: started side by side, without holding up anybody. */
import type { ServerConfig, Servers } from '../contract/server.ts';
import { type ContentPart, readContent } from './content.ts';
import type { RemotePrompt } from './offer.ts';
import { createSeat, type Seat, type SeatDeps } from './seat.ts';
import { messageOf } from './trouble.ts';

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

const isSame = (a: ServerConfig, b: ServerConfig): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Starts every server at once. One name, one server: the first configuration of a name counts. */
export const createServers = (configs: readonly ServerConfig[], deps: SeatDeps): Servers & ServerPrompts => {
  let seats: ReadonlyMap<string, Seat> = new Map();
  let started: Promise<unknown> = Promise.resolve();
  const all = () => [...seats.values()];

  const configure = (wanted: readonly ServerConfig[]): void => {
    const next = new Map<string, Seat>();
    const fresh: Seat[] = [];
    for (const config of wanted) {
      if (next.has(config.name)) continue;
      const there = seats.get(config.name);
      const seat = there && isSame(there.config, config) ? there : createSeat(config, deps);
      if (seat !== there) fresh.push(seat);
      next.set(config.name, seat);
    }
    for (const [name, seat] of seats) if (next.get(name) !== seat) void seat.stop();
    seats = next;
    started = Promise.all([started, ...fresh.map((seat) => seat.start())]);
  };
  configure(configs);

  const missing = (name: string): string =>
    `There is no server named "${name}". The servers are: ${[...seats.keys()].join(', ') || 'none'}.`;

  return {
    configure,
    tools() {
      const names = new Set<string>();
      return all()
        .flatMap((seat) => seat.tools())
        .filter(({ schema }) => !names.has(schema.name) && names.add(schema.name));
    },
    states: () => all().map((seat) => seat.state()),
    resources: () => all().flatMap((seat) => seat.resources()),
    prompts: () =>
      all().flatMap((seat) => seat.prompts().map((prompt) => ({ server: seat.config.name, prompt }))),
    async prompt(server, name, args, signal) {
      const seat = seats.get(server);
      if (!seat) return { refused: missing(server) };
      try {
        const { messages } = await seat.ask(signal, (client) =>
          client.getPrompt({ name, arguments: { ...args } }, { signal }),
        );
        const parts: readonly ContentPart[] = messages.map(({ content }) => content);
        return { text: (await readContent(parts, undefined, deps.content(server))).text };
      } catch (error) {
        return { refused: `The prompt ${name} of ${server} failed: ${messageOf(error)}` };
      }
    },
    async readResource(server, uri, signal) {
      const seat = seats.get(server);
      if (!seat) return { refused: missing(server) };
      try {
        const { contents } = await seat.ask(signal, (client) => client.readResource({ uri }, { signal }));
        const parts = contents.map(
          (one): ContentPart =>
            'text' in one
              ? { type: 'text', text: one.text }
              : {
                  type: one.mimeType?.startsWith('image/') ? 'image' : 'audio',
                  data: one.blob,
                  mimeType: one.mimeType,
                },
        );
        return await readContent(parts, undefined, deps.content(server));
      } catch (error) {
        return { refused: `${uri} of ${server} could not be read: ${messageOf(error)}` };
      }
    },
    async reconnect(name) {
      const seat = seats.get(name);
      if (!seat) return missing(name);
      if (seat.config.held === 'needs approval')
        return `${name} is new in this folder since it was trusted, and was not accepted.`;
      await seat.stop();
      await seat.start('asked');
      return seat.state().error;
    },
    async disable(name) {
      const seat = seats.get(name);
      if (!seat) return missing(name);
      await seat.stop('disabled');
      return undefined;
    },
    rootsChanged() {
      for (const seat of all())
        void seat
          .connection()
          ?.sendRootsListChanged()
          .catch(() => undefined);
    },
    settled: async () => void (await started),
    async close() {
      await Promise.all(all().map((seat) => seat.stop()));
    },
  };
};
