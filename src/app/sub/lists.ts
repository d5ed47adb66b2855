/** `coppice skills list [--json]` and `coppice agents list [--json]` (ruling 54). */
import type { DefinitionKind } from '../../contract/catalog.ts';
import { columnsOf } from '../../lib/hanging.ts';
import type { Flags } from '../flags.ts';
import type { Subcommand } from './place.ts';

const listOf =
  (name: string, description: string, kinds: readonly DefinitionKind[]): Subcommand =>
  (program, host, finish) =>
    program
      .command(name)
      .description(description)
      .command('list', { isDefault: true })
      .description('list them with where they come from, what was repaired and what is wrong')
      .option('--json', 'as a JSON array')
      .action(async (flags: { readonly json?: boolean }) => {
        const { catalogHere } = await import('./definitions.ts');
        const { definitionLines, listed } = await import('../../catalog/list-definitions.ts');
        const catalog = await catalogHere(host, program.opts<Flags>());
        const all = listed(catalog.definitions(), kinds);
        const text = flags.json
          ? JSON.stringify(all, undefined, 2)
          : definitionLines(all, columnsOf(host.stdout));
        host.print(`${text}\n`);
        finish(0);
      });

export const skillsCommand = listOf('skills', 'skills and commands that can be run', ['skill', 'command']);
export const agentsCommand = listOf('agents', 'agents that can be started', ['agent']);
