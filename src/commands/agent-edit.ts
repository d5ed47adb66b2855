/** `/agents edit`: a person's own file in their editor, or a copy of what is not theirs. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { Definition } from '../contract/catalog.ts';
import type { CommandResult } from '../contract/command.ts';
import { type AgentShelf, definitionOf, faults } from './agent-shelf.ts';
import { refused, text } from './answer.ts';

/** Theirs to change as it lies. */
export const isOwn = (agent: AgentDefinition): boolean =>
  agent.source === 'user' || agent.source === 'project';

/** All that a definition of the command line says, as a file says it: JSON is YAML. */
const written = (agent: AgentDefinition, definition: Definition | undefined): string => {
  const fields = Object.entries(definition?.fields ?? {}).filter(
    ([key]) => key !== 'prompt' && key !== 'name',
  );
  const head = [['name', agent.name] as const, ...fields].map(
    ([key, value]) => `${key}: ${JSON.stringify(value)}`,
  );
  return `---\n${head.join('\n')}\n---\n\n${agent.prompt}\n`;
};

/** A copy is called what the original is called here, or it would be another agent. */
const named = (content: string, name: string): string => {
  const line = `name: ${JSON.stringify(name)}`;
  return /^name[ \t]*:/m.test(content)
    ? content.replace(/^name[ \t]*:.*$/m, () => line)
    : content.replace(/^---[ \t]*\r?\n/, () => `---\n${line}\n`);
};

const copied = async (
  shelf: AgentShelf,
  agent: AgentDefinition,
): Promise<{ readonly path: string } | { readonly refused: string }> => {
  const path = `${shelf.folders.user ?? shelf.folders.project}/${agent.name.replace(/[^\w.-]+/g, '-')}.md`;
  // Somebody began one that is not in force; that is the one to mend.
  if ((await shelf.read(path)) !== undefined) return { path };
  const original = agent.source === 'flag' || !agent.path ? undefined : await shelf.read(agent.path);
  const content =
    original === undefined ? written(agent, definitionOf(shelf, agent)) : named(original, agent.name);
  const fault = await shelf.write(path, content);
  return fault === undefined ? { path } : { refused: fault };
};

/** What comes with the program, a plugin or the command line is copied first: the copy wins. */
export const edited = async (shelf: AgentShelf, agent: AgentDefinition): Promise<CommandResult> => {
  const at = isOwn(agent) && agent.path ? { path: agent.path } : await copied(shelf, agent);
  if ('refused' in at) return refused(at.refused);
  if (!shelf.edit) return text(`Edit \`${at.path}\`; what you save there counts at once.`);
  const fault = await shelf.edit(at.path);
  if (fault !== undefined) return refused(fault);
  const now = shelf.definitions().find((one) => one.kind === 'agent' && one.path === at.path);
  const found = faults(now).map(([what, words]) => `- ${what}: ${words}`);
  return text([`\`${at.path}\` was read again.`, ...found].join('\n'));
};
