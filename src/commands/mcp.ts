import type { CommandResult, SlashCommand } from '../contract/command.ts';
import type { ServerState, Servers } from '../contract/server.ts';
import { refused, table, text } from './answer.ts';

const LOG_LINES = 20;
const verbs = ['reconnect', 'enable', 'disable'] as const;

const stateText = ({ status, error }: ServerState): string => (error ? `${status}: ${error}` : status);

const toolsText = ({ tools, toolsLeftOut }: ServerState): string =>
  toolsLeftOut > 0 ? `${tools.length} of ${tools.length + toolsLeftOut}` : String(tools.length);

/** Their common beginning is said once. */
const toolNames = ({ tools }: ServerState): string => {
  const [prefix = ''] = /^mcp__[^_]+(?:_[^_]+)*__/.exec(tools[0] ?? '') ?? [];
  const bare = tools.map((name) => (prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name));
  return tools.length === 0 ? 'none' : `${bare.join(', ')}${prefix ? ` (called ${prefix}NAME)` : ''}`;
};

const one = (state: ServerState): CommandResult => {
  const log =
    state.log.length > 0
      ? `\n\nLast it said:\n\n\`\`\`\n${state.log.slice(-LOG_LINES).join('\n')}\n\`\`\``
      : '';
  const facts = table(
    ['', ''],
    [
      ['state', stateText(state)],
      ['runs', `\`${state.target}\``],
      ['from', `${state.source} (${state.scope})`],
      ['tools', toolNames(state)],
      ...(state.toolsLeftOut > 0 ? [['not offered', `${state.toolsLeftOut} more tools`]] : []),
      ['prompts', state.prompts.join(', ') || 'none'],
      ['resources', String(state.resources)],
      ...(state.instructions ? [['says of itself', state.instructions]] : []),
    ],
  );
  return text(`## ${state.name}\n\n${facts}${log}`);
};

const list = (all: readonly ServerState[], problems: readonly string[]): CommandResult => {
  const wrong = problems.length > 0 ? `\n\n${problems.join('\n')}` : '';
  if (all.length === 0)
    return text(
      `No tool servers are configured. \`coppice mcp add NAME -- COMMAND\` adds one; \`.mcp.json\` of a trusted project is read.${wrong}`,
    );
  const rows = all.map((state) => [
    state.name,
    state.status,
    toolsText(state),
    String(state.prompts.length),
    state.scope,
  ]);
  const troubles = all.flatMap(({ name, error }) => (error ? [`- **${name}**: ${error}`] : []));
  const trouble = troubles.length > 0 ? `\n\n${troubles.join('\n')}` : '';
  return text(
    `${table(['server', 'state', 'tools', 'prompts', 'from'], rows)}${trouble}\n\n\`/mcp NAME\` shows one with its tools and its log; \`/mcp reconnect NAME\` starts it again, \`/mcp disable NAME\` ends it.${wrong}`,
  );
};

/** `/mcp [NAME | reconnect NAME | enable NAME | disable NAME]`: tool servers, their state, tools and logs. */
export const mcpCommand = (
  servers: () => Servers,
  problems: () => readonly string[],
  /** Asks about what is new in the project; true for a yes. */
  accept: () => Promise<boolean>,
): SlashCommand => ({
  name: 'mcp',
  description: 'Tool servers: state, tools, logs, reconnect',
  argumentHint: '[reconnect|enable|disable] [server]',
  source: 'builtin',
  instant: true,
  complete() {
    const names = servers()
      .states()
      .map(({ name }) => name);
    return [...names, ...verbs.flatMap((verb) => names.map((name) => `${verb} ${name}`))];
  },
  async run(args) {
    const all = servers().states();
    const [first = '', second = ''] = args.trim().split(/\s+/);
    if (first === '') return list(all, problems());
    const verb = verbs.find((known) => known === first);
    if (!verb) {
      const state = all.find(({ name }) => name === first);
      return state
        ? one(state)
        : refused(
            `There is no server named "${first}". The servers are: ${all.map(({ name }) => name).join(', ') || 'none'}.`,
          );
    }
    if (second === '') return refused(`Name a server: /mcp ${verb} NAME.`);
    const waits = all.some(({ name, status }) => name === second && status === 'needs approval');
    if (waits && verb !== 'disable' && !(await accept())) return refused(`${second} stays off.`);
    const failed = await (verb === 'disable' ? servers().disable(second) : servers().reconnect(second));
    if (failed) return refused(`${second}: ${failed}`);
    return text(
      verb === 'disable' ? `${second} is off until /mcp enable ${second}.` : `${second} is connected.`,
    );
  },
});
