import type { SlashCommand } from '../contract/command.ts';
import { text } from './answer.ts';

export interface PluginFacts {
  readonly name: string;
  readonly path: string;
  readonly skills: readonly string[];
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly hooks: number;
  readonly servers: readonly string[];
  /** Whether its hooks and servers count. */
  readonly active: boolean;
}

export interface PluginShelf {
  rows(): Promise<readonly PluginFacts[]>;
  problems(): readonly string[];
  /** Reads the folders again. */
  reload(): Promise<void>;
}

const names = (title: string, all: readonly string[]): readonly string[] =>
  all.length === 0 ? [] : [`- ${title}: ${all.map((name) => `\`${name}\``).join(', ')}`];

const section = (one: PluginFacts): string =>
  [
    `### ${one.name}`,
    '',
    `${one.path}${one.active ? '' : ' (its hooks and servers wait until this folder is trusted)'}`,
    '',
    ...names('skills', one.skills),
    ...names('agents', one.agents),
    ...names('commands', one.commands),
    ...(one.hooks > 0 ? [`- hooks: ${one.hooks}; \`/hooks\` shows them`] : []),
    ...names('tool servers', one.servers),
  ].join('\n');

/** `/plugin`: plugin folders, read again, and what each brings. */
export const pluginCommand = (shelf: PluginShelf): SlashCommand => ({
  name: 'plugin',
  aliases: ['plugins', 'reload-plugins'],
  description: 'Plugin folders and what they bring',
  source: 'builtin',
  instant: true,
  async run() {
    await shelf.reload();
    const all = await shelf.rows();
    const wrong = shelf
      .problems()
      .map((problem) => `\n\n${problem}`)
      .join('');
    if (all.length === 0)
      return text(
        `No plugin folders are loaded. \`--plugin-dir DIR\` or the \`plugins\` setting loads one.${wrong}`,
      );
    return text(`${all.map(section).join('\n\n')}${wrong}`);
  },
});
