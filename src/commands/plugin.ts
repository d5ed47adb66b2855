import type { SlashCommand } from '../contract/command.ts';
import { table, text } from './answer.ts';

export interface PluginFacts {
  readonly name: string;
  readonly path: string;
  readonly skills: readonly string[];
  readonly agents: readonly string[];
  readonly commands: readonly string[];
  readonly hooks: number;
  readonly servers: readonly string[];
  readonly active: boolean;
}

/** `/plugin`: plugin folders and what each brings. */
export const pluginCommand = (rows: () => Promise<readonly PluginFacts[]>): SlashCommand => ({
  name: 'plugin',
  aliases: ['plugins'],
  description: 'Plugin folders and what they bring',
  source: 'builtin',
  instant: true,
  async run() {
    const all = await rows();
    if (all.length === 0)
      return text('No plugin folders are loaded. `--plugin-dir DIR` or the `plugins` setting loads one.');
    const list = (names: readonly string[]) => names.join(', ') || '-';
    return text(
      table(
        ['plugin', 'skills', 'agents', 'commands', 'hooks', 'servers', 'in force'],
        all.map((one) => [
          `${one.name} (${one.path})`,
          list(one.skills),
          list(one.agents),
          list(one.commands),
          String(one.hooks),
          list(one.servers),
          one.active ? 'yes' : 'hooks and servers wait for trust',
        ]),
      ),
    );
  },
});
