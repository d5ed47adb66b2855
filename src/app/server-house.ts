/** The tool servers of a run: which are configured, which may start, and who answers their questions. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerConfig, ServerState, Servers } from '../contract/server.ts';
import { outboundFetch } from '../fetch/outbound.ts';
import { errorText } from '../lib/error-text.ts';
import type { ContentPorts } from '../servers/content.ts';
import { safeName } from '../servers/names.ts';
import type { SeatDeps } from '../servers/seat.ts';
import { createServers, type ServerPrompts } from '../servers/servers.ts';
import { GROUP_MARK } from '../shell/environment.ts';
import { openGuard } from '../shell/guard.ts';
import { type AskPerson, elicit } from './elicitation.ts';
import { type ConfiguredServers, configuredServers, type ServerPlace } from './server-sources.ts';
import { VERSION } from './version.ts';
import type { World } from './world.ts';

export interface ServerHouse {
  readonly servers: Servers & ServerPrompts;
  problems(): readonly string[];
  /** What is configured now; nothing starts. */
  configured(): Promise<ConfiguredServers>;
  /** Reads again where servers are configured, and starts, ends and leaves alone what that means. */
  reload(): Promise<void>;
  /** Servers beside these, for one agent: whoever starts them closes them. */
  own(configs: readonly ServerConfig[]): Servers;
  /** A sentence about a server, for the person. */
  tell(text: string): void;
  close(): Promise<void>;
}

export interface ServerHouseDeps {
  readonly world: World;
  /** Puts a server's question to the person of the conversation now open. */
  readonly ask: AskPerson;
  /** Folder for answers that are too long. */
  outputs(): Promise<string | undefined>;
  plugins(): ServerPlace['plugins'];
  /** Working directories of the conversation now open. */
  directories(): readonly string[];
  /** A sentence about a server that broke or came back. */
  tell(text: string): void;
}

/** When the program is killed its servers see the end of their input; most end with it. */
const GRACE_MS = 500;
/** Characters a token takes, roughly. */
const CHARS_PER_TOKEN = 4;
const PICTURE_MS = 30_000;

const contentPorts = (deps: ServerHouseDeps, server: string, mostTokens: number): ContentPorts => ({
  mostChars: mostTokens * CHARS_PER_TOKEN,
  async spill(content, extension) {
    try {
      const folder = await deps.outputs();
      if (!folder) return 'not kept, because nothing is saved';
      const path = join(folder, `${safeName(server)}-${randomUUID().slice(0, 8)}.${extension}`);
      await writeFile(path, content, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error) {
      return `not kept (${errorText(error)})`;
    }
  },
  async picture(bytes) {
    const { fitImage } = await import('../media/fit-image.ts');
    const fitted = await fitImage(bytes, AbortSignal.timeout(PICTURE_MS));
    return 'block' in fitted ? fitted.block : undefined;
  },
});

const newsOf = ({ name, status, error }: ServerState): string | undefined => {
  if (status === 'failed')
    return `The tool server ${name} failed: ${error ?? 'unknown error'} /mcp ${name} shows its log, /mcp reconnect ${name} tries again.`;
  if (status === 'needs sign-in') return `The tool server ${name} is not connected: ${error ?? ''}`;
  return status === 'reconnecting'
    ? `The tool server ${name} is gone: ${error ?? ''} It is started again.`
    : undefined;
};

export const createServerHouse = (deps: ServerHouseDeps): ServerHouse => {
  const { world } = deps;
  let found: ConfiguredServers = { configs: [], problems: [] };
  const number = (name: string, otherwise: number) => Number(world.env()[name]) || otherwise;
  const fetch = outboundFetch(world.env());
  const mark = randomUUID();
  const guard = openGuard('bash', world.host.env.PATH ?? '', mark, GRACE_MS);
  const ports: SeatDeps = {
    callMs: number('MCP_TOOL_TIMEOUT', 600_000),
    place: {
      get env() {
        return {
          ...world.childEnv(),
          COPPICE_PROJECT_DIR: world.project,
          CLAUDE_PROJECT_DIR: world.project,
          [GROUP_MARK]: mark,
        };
      },
      cwd: world.project,
      roots: () => [...new Set([world.cwd, ...deps.directories()])],
      version: VERSION,
      startMs: number('MCP_TIMEOUT', 30_000),
      ...(fetch ? { fetch } : {}),
      guard,
    },
    elicit: (server, request, signal) => elicit(server, request, deps.ask, signal),
    content: (server) => contentPorts(deps, server, number('MAX_MCP_OUTPUT_TOKENS', 25_000)),
    moved(state) {
      const text = newsOf(state);
      if (text) deps.tell(text);
    },
  };
  const servers = createServers([], ports);
  const configured = () =>
    configuredServers({
      homes: world.homes,
      project: world.project,
      env: world.childEnv(),
      loaded: world.loaded(),
      trusted: world.trust.trusted,
      trustsPart: world.accepted.trustsPart,
      flags: world.flags,
      plugins: deps.plugins(),
    });
  return {
    servers,
    problems: () => found.problems,
    configured,
    async reload() {
      const now = await configured();
      // What changed and waits for a yes lets the old one run on meanwhile (ruling 8).
      const before = new Map(found.configs.map((config) => [config.name, config]));
      const configs = now.configs.map((config) =>
        config.held === 'needs approval' ? (before.get(config.name) ?? config) : config,
      );
      found = { ...now, configs };
      servers.configure(configs);
    },
    own: (configs) => createServers(configs, ports),
    tell: deps.tell,
    async close() {
      await servers.close();
      guard.close();
    },
  };
};
