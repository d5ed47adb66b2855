import type { AgentDefinition } from '../contract/agent.ts';
import type { Definition } from '../contract/catalog.ts';
import type { CommandPlace, CommandResult, SlashCommand } from '../contract/command.ts';
import { nearNames } from '../lib/near-names.ts';
import { edited, isOwn } from './agent-edit.ts';
import { type AgentShelf, definitionOf, faults } from './agent-shelf.ts';
import { refused, table, text } from './answer.ts';
import create from './create-agent.md';

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
  const row = (label: string, value: string | undefined) => (value === undefined ? [] : [[label, value]]);
  const rows = [
    ['from', agent.path ? `${agent.source}, ${agent.path}` : agent.source],
    ['tools', toolsOf(agent)],
    ...row('without', agent.disallowedTools?.join(', ')),
    ['model', agent.model ?? 'inherit'],
    ...row('effort', agent.effort),
    ...row('permission mode', agent.permissionMode),
    ...row('at most', agent.maxTurns === undefined ? undefined : `${agent.maxTurns} turns`),
    ...row('skills', agent.skills?.join(', ')),
    ...row('memory', agent.memory),
    ...row('runs', agent.background ? 'in the background' : undefined),
    ...row('works in', agent.isolation && 'a worktree of its own'),
    ...row('servers', agent.mcpServers && serversOf(agent.mcpServers)),
    ...row('hooks on', agent.hooks && [...new Set(agent.hooks.map((group) => group.event))].join(', ')),
    ...row('colour', agent.color),
    ...row('first words', agent.initialPrompt),
    ...faults(definition),
  ];
  return [`## ${agent.name}`, agent.description, table(['', ''], rows), '---', agent.prompt].join('\n\n');
};

const serversOf = (servers: readonly unknown[]): string =>
  servers
    .flatMap((one) => (typeof one === 'object' && one !== null ? Object.keys(one) : [String(one)]))
    .join(', ');

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
    searched: true,
    items: shelf
      .agents()
      .map((agent) => ({ value: agent, label: agent.name, hint: short(agent.description) })),
    preview: async (agent) => page(agent, definitionOf(shelf, agent)),
  });

const show = (shelf: AgentShelf, agent: AgentDefinition): CommandResult =>
  text(page(agent, definitionOf(shelf, agent)));

/** What a person may want of the agent they chose. */
const offer = async (
  shelf: AgentShelf,
  agent: AgentDefinition,
  { screen }: CommandPlace,
): Promise<CommandResult> => {
  const wish = await screen.pick({
    title: agent.name,
    items: [
      { value: 'show', label: 'Show it' },
      { value: 'edit', label: isOwn(agent) ? 'Edit it' : 'Edit a copy of yours' },
      ...(screen.fill ? [{ value: 'call', label: 'Ask it to do something' }] : []),
    ],
  });
  if (wish === 'show') return show(shelf, agent);
  if (wish === 'edit') return edited(shelf, agent);
  if (wish === 'call') screen.fill?.(`@agent-${agent.name.replace(/\s+/g, '-')} `);
  return { kind: 'done' };
};

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
      if (chosen) return offer(here, chosen, place);
      return place.screen.interactive && verb === '' ? { kind: 'done' } : text(whole(here));
    }
    const wish = verb === 'show' || verb === 'edit' ? name : args.trim();
    const agent = wish === '' ? await choose(here, place) : find(here, wish);
    if (!agent) return refused(`Type a name after /agents ${verb}.`);
    if ('refused' in agent) return refused(agent.refused);
    return verb === 'edit' ? edited(here, agent) : show(here, agent);
  },
});
