/** The tool servers of a run: which are configured, which may start, and who answers their questions. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Answer, ChoiceQuestion, Question } from '../contract/ask.ts';
import type { ServerConfig, Servers } from '../contract/server.ts';
import { inherited } from '../hooks/environment.ts';
import { readServers } from '../servers/config.ts';
import type { Elicitation, ElicitationAnswer } from '../servers/connection.ts';
import { createServers, type ServerPrompts } from '../servers/servers.ts';
import { readJsonFile } from '../settings/read-file.ts';
import { VERSION } from './version.ts';
import type { World } from './world.ts';

export interface ServerHouse {
  readonly servers: (Servers & ServerPrompts) | undefined;
  readonly problems: readonly string[];
  close(): Promise<void>;
}

export interface ServerHouseDeps {
  readonly world: World;
  /** Puts a server's question to the person of the conversation now open; nobody there: undefined. */
  ask(question: Question): Promise<Answer | undefined>;
  /** Folder for answers that are too long. */
  outputs(): Promise<string | undefined>;
  /** What a plugin brings: parsed `.mcp.json` and where it stands. */
  plugins(): readonly { readonly source: string; readonly value: unknown; readonly root: string }[];
  changed(): void;
}

type Found = {
  readonly value: unknown;
  readonly source: string;
  readonly scope: ServerConfig['scope'];
  readonly root?: string;
};

const record = z.record(z.string(), z.unknown());

const fromFile = async (
  path: string,
  scope: ServerConfig['scope'],
  problems: string[],
  pick = (value: unknown): unknown => value,
): Promise<readonly Found[]> => {
  const file = await readJsonFile(path);
  if ('missing' in file) return [];
  if ('wrong' in file) {
    problems.push(`${path}: found ${file.wrong.found}, expected ${file.wrong.expected}.`);
    return [];
  }
  const value = pick(file.value);
  return value === undefined ? [] : [{ value, source: path, scope }];
};

/** `--mcp-config`: a file or JSON. */
const fromFlag = async (text: string, problems: string[]): Promise<readonly Found[]> => {
  if (!text.trimStart().startsWith('{')) return fromFile(text, 'flag', problems);
  try {
    return [{ value: JSON.parse(text), source: '--mcp-config', scope: 'flag' }];
  } catch (error) {
    problems.push(`--mcp-config is not JSON: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
};

/** Strongest first: flags, local, project, user, plugins (conventions 14). */
const configured = async ({
  world,
  plugins,
}: ServerHouseDeps): Promise<{
  readonly configs: readonly ServerConfig[];
  readonly problems: readonly string[];
}> => {
  const problems: string[] = [];
  const { flags, homes, project } = world;
  const settings = world.loaded().settings;
  const flagged = (await Promise.all((flags.mcpConfig ?? []).map((text) => fromFlag(text, problems)))).flat();
  const state = homes.foreignState;
  const foreign = settings.compatibility !== false && state !== undefined;
  const found: readonly Found[] = flags.strictMcpConfig
    ? flagged
    : [
        ...flagged,
        ...(foreign
          ? await fromFile(
              state,
              'local',
              [],
              (value) =>
                record.safeParse(record.safeParse(record.safeParse(value).data?.projects).data?.[project])
                  .data?.mcpServers,
            )
          : []),
        ...world.loaded().layers.flatMap((layer) =>
          layer.settings.mcpServers === undefined
            ? []
            : [
                {
                  value: layer.settings.mcpServers,
                  source: layer.file,
                  scope: layer.scope === 'flag' ? ('flag' as const) : layer.scope,
                },
              ],
        ),
        ...(world.trust.trusted ? await fromFile(join(project, '.mcp.json'), 'project', problems) : []),
        ...(foreign
          ? await fromFile(state, 'user', [], (value) => record.safeParse(value).data?.mcpServers)
          : []),
        ...plugins().map((plugin) => ({ ...plugin, scope: 'plugin' as const })),
      ];
  const read = found.map((one) =>
    readServers(
      one.value,
      { source: one.source, scope: one.scope },
      one.root
        ? { ...world.env(), CLAUDE_PLUGIN_ROOT: one.root, COPPICE_PLUGIN_ROOT: one.root }
        : world.env(),
    ),
  );
  const off = new Set(settings.disabledMcpjsonServers ?? []);
  return {
    configs: read
      .flatMap((one) => one.servers)
      .filter((one) => one.scope !== 'project' || !off.has(one.name)),
    problems: [...problems, ...read.flatMap((one) => one.problems)],
  };
};

const property = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
});

const questionsOf = (
  request: Elicitation,
): readonly { readonly key: string; readonly type: string; readonly question: ChoiceQuestion }[] =>
  Object.entries(record.safeParse(request.schema.properties).data ?? {}).map(([key, raw]) => {
    const facts = property.safeParse(raw).data ?? {};
    const options = facts.enum ?? (facts.type === 'boolean' ? ['yes', 'no'] : []);
    return {
      key,
      type: facts.type ?? 'string',
      question: {
        question: `${request.message}\n${facts.description ?? facts.title ?? key}`,
        header: facts.title ?? key,
        options: options.map((label) => ({ label })),
        multiSelect: false,
      },
    };
  });

const typed = (type: string, text: string): string | number | boolean =>
  type === 'boolean'
    ? text === 'yes' || text === 'true'
    : type === 'number' || type === 'integer'
      ? Number(text)
      : text;

/** A form becomes one question a field; a bare message a yes or no. */
const elicit = async (
  deps: ServerHouseDeps,
  server: string,
  request: Elicitation,
): Promise<ElicitationAnswer> => {
  const fields = questionsOf(request);
  if (fields.length === 0) {
    const answer = await deps.ask({
      kind: 'confirm',
      title: `The tool server ${server} asks`,
      body: request.message,
      options: [
        { value: 'accept', label: 'Yes' },
        { value: 'decline', label: 'No' },
      ],
    });
    return answer?.kind === 'confirm' && answer.value === 'accept'
      ? { action: 'accept', content: {} }
      : { action: answer?.kind === 'confirm' ? 'decline' : 'cancel' };
  }
  const answer = await deps.ask({
    kind: 'choice',
    questions: fields.map(({ question }) => ({
      ...question,
      question: `${server} asks: ${question.question}`,
    })),
  });
  if (answer?.kind !== 'choice') return { action: 'decline' };
  const content = Object.fromEntries(
    fields.flatMap(({ key, type }, at) => {
      const given = answer.answers[at];
      const text = given?.text ?? given?.chosen[0];
      return text === undefined || text === '' ? [] : [[key, typed(type, text)]];
    }),
  );
  return { action: 'accept', content };
};

export const createServerHouse = async (deps: ServerHouseDeps): Promise<ServerHouse> => {
  const { world } = deps;
  const { configs, problems } = await configured(deps);
  if (configs.length === 0) return { servers: undefined, problems, close: async () => undefined };
  const milliseconds = (name: string, otherwise: number) => Number(world.env()[name]) || otherwise;
  const servers = createServers({
    configs,
    callMs: milliseconds('MCP_TOOL_TIMEOUT', 600_000),
    place: {
      env: {
        ...inherited(world.env(), world.loaded().settings.passCredentials ?? []),
        COPPICE_PROJECT_DIR: world.project,
        CLAUDE_PROJECT_DIR: world.project,
      },
      cwd: world.project,
      roots: () => [world.cwd, ...(world.flags.addDir ?? [])],
      version: VERSION,
      startMs: milliseconds('MCP_TIMEOUT', 30_000),
    },
    elicit: (server, request) => elicit(deps, server, request),
    async spill(server, text) {
      const folder = await deps.outputs();
      if (!folder) return 'no file, because nothing can be kept';
      const path = join(folder, `${server.replace(/[^A-Za-z0-9_-]/g, '_')}-${randomUUID().slice(0, 8)}.txt`);
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    },
    changed: deps.changed,
  });
  return { servers, problems, close: servers.close };
};
