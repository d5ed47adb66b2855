import type { AgentDefinition } from '../contract/agent.ts';
import type { Definition } from '../contract/catalog.ts';
import type { CommandPlace, CommandResult, SlashCommand } from '../contract/command.ts';
import { nearNames } from '../lib/near-names.ts';
import { refused, table, text } from './answer.ts';
import create from './create-agent.md';

export interface AgentShelf {
  /** Those in force. */
  agents(): readonly AgentDefinition[];
  definitions(): readonly Definition[];
  /** Folders for new definitions. */
  readonly folders: { readonly project: string; readonly user?: string };
  /** Opens a file in the person's editor; a sentence when that cannot be done. Absent where there is no editor to open. */
  edit?(path: string): Promise<string | undefined>;
  /** Writes a new file, never over an existing one; a sentence when it cannot. */
  write(path: string, content: string): Promise<string | undefined>;
}

const short = (words: string): string => (words.length > 100 ? `${words.slice(0, 99).trimEnd()}…` : words);

const toolsOf = (agent: AgentDefinition): string =>
  agent.tools ? agent.tools.join(', ') || 'none that is known' : 'all';

const whole = (shelf: AgentShelf): string => {
  const rows = shelf
    .agents()
    .map((agent) => [agent.name, agent.source, agent.model ?? 'inherit', short(agent.description)]);
  const shadowed = shelf.definitions().filter((one) => one.kind === 'agent' && one.shadowedBy);
  const note =
    shadowed.length > 0
      ? `\n\nNot used, because a stronger file has the name: ${shadowed.map((one) => one.path).join(', ')}.`
      : '';
  return `${table(['agent', 'from', 'model', 'does'], rows)}${note}\n\n\`/agents show NAME\`, \`/agents create [what it is for]\`, \`/agents edit NAME\`. Type \`@agent-NAME\` in a message to have one do something.`;
};

const page = (agent: AgentDefinition, definition: Definition | undefined): string => {
  const rows = [
    ['from', agent.path ? `${agent.source}, ${agent.path}` : agent.source],
    ['tools', toolsOf(agent)],
    ...(agent.disallowedTools ? [['without', agent.disallowedTools.join(', ')]] : []),
    ['model', agent.model ?? 'inherit'],
    ...(agent.permissionMode ? [['permission mode', agent.permissionMode]] : []),
    ...(agent.maxTurns ? [['at most', `${agent.maxTurns} turns`]] : []),
    ...(agent.skills ? [['skills', agent.skills.join(', ')]] : []),
    ...(definition?.repairs ?? []).map((one) => ['repaired', one]),
    ...(definition?.problems ?? []).map((one) => ['problem', one]),
  ];
  return [`## ${agent.name}`, agent.description, table(['', ''], rows), '---', agent.prompt].join('\n\n');
};

const find = (shelf: AgentShelf, name: string): AgentDefinition | { readonly refused: string } => {
  const all = shelf.agents();
  const found = all.find((agent) => agent.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const near = nearNames(
    name,
    all.map((agent) => agent.name),
  );
  return {
    refused: `There is no agent "${name}".${near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''}`,
  };
};

const choose = async (shelf: AgentShelf, { screen }: CommandPlace): Promise<AgentDefinition | undefined> =>
  screen.pick({
    title: 'Agents',
    items: shelf
      .agents()
      .map((agent) => ({ value: agent, label: agent.name, hint: short(agent.description) })),
    preview: async (agent) => page(agent, undefined),
  });

const show = (shelf: AgentShelf, agent: AgentDefinition): CommandResult =>
  text(
    page(
      agent,
      shelf.definitions().find((one) => one.path === agent.path && one.kind === 'agent'),
    ),
  );

/** The model writes the definition: it knows what belongs into a prompt better than a form does. */
const made = async (shelf: AgentShelf, args: string, { screen }: CommandPlace): Promise<CommandResult> => {
  const purpose = args || (await screen.input({ title: 'What is the agent for?' }))?.trim();
  if (!purpose)
    return refused('Say what the agent is for: /agents create checks translations for missing keys');
  const { project, user } = shelf.folders;
  const folder = user
    ? ((await screen.pick({
        title: 'Where does it belong?',
        items: [
          { value: project, label: 'this project', hint: project },
          { value: user, label: 'you, everywhere', hint: user },
        ],
      })) ?? (screen.interactive ? undefined : project))
    : project;
  if (!folder) return refused('Nothing was made.');
  const words = create.replaceAll('{folder}', () => folder).replaceAll('{purpose}', () => purpose);
  return { kind: 'prompt', text: words, display: `/agents create ${purpose}` };
};

const copied = async (
  shelf: AgentShelf,
  agent: AgentDefinition,
): Promise<{ readonly path: string } | { readonly refused: string }> => {
  const path = `${shelf.folders.user ?? shelf.folders.project}/${agent.name.replace(/[^\w.-]+/g, '-')}.md`;
  const head = [
    `name: ${JSON.stringify(agent.name)}`,
    `description: ${JSON.stringify(agent.description)}`,
    ...(agent.tools ? [`tools: ${agent.tools.join(', ')}`] : []),
    ...(agent.model ? [`model: ${agent.model}`] : []),
  ];
  const fault = await shelf.write(path, `---\n${head.join('\n')}\n---\n\n${agent.prompt}\n`);
  return fault === undefined ? { path } : { refused: fault };
};

/** What comes with the program or the command line is copied first: the copy wins. */
const edited = async (shelf: AgentShelf, agent: AgentDefinition): Promise<CommandResult> => {
  const own = agent.source === 'user' || agent.source === 'project';
  const at = own && agent.path ? { path: agent.path } : await copied(shelf, agent);
  if ('refused' in at) return refused(at.refused);
  if (!shelf.edit) return text(`Edit \`${at.path}\`; what you save there counts at once.`);
  const fault = await shelf.edit(at.path);
  return fault === undefined ? text(`\`${at.path}\` was read again.`) : refused(fault);
};

/** `/agents`: list, show, create and edit definitions of agents. */
export const agentsCommand = (shelf: () => AgentShelf): SlashCommand => ({
  name: 'agents',
  description: 'Agents: list, show, create, edit',
  argumentHint: '[show|create|edit] [name]',
  source: 'builtin',
  complete: () => ['show', 'create', 'edit'],
  async run(args, place) {
    const [verb = '', ...rest] = args.trim().split(/\s+/);
    const name = rest.join(' ');
    const here = shelf();
    if (verb === 'create' || verb === 'new') return made(here, name, place);
    if (verb === '' || verb === 'list') {
      const chosen = verb === '' && place.screen.interactive ? await choose(here, place) : undefined;
      return chosen ? show(here, chosen) : text(whole(here));
    }
    const wish = verb === 'show' || verb === 'edit' ? name : args.trim();
    const agent = wish === '' ? await choose(here, place) : find(here, wish);
    if (!agent) return refused(`Type a name after /agents ${verb}.`);
    if ('refused' in agent) return refused(agent.refused);
    return verb === 'edit' ? edited(here, agent) : show(here, agent);
  },
});
