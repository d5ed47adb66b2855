/** `coppice agents list [--json]` (ruling 54). */
import { columnsOf } from '../../lib/hanging.ts';
import type { Flags } from '../flags.ts';
import type { Subcommand } from './place.ts';

export const agentsCommand: Subcommand = (program, host, finish) => {
  const agents = program.command('agents').description('agents that can be started');
  agents
    .command('list', { isDefault: true })
    .description('list them with where they come from, what was repaired and what is wrong')
    .option('--json', 'as a JSON array')
    .action(async (flags: { readonly json?: boolean }) => {
      const { catalogHere } = await import('./definitions.ts');
      const { definitionLines, listAgents } = await import('../../catalog/list-definitions.ts');
      const catalog = await catalogHere(host, program.opts<Flags>());
      const all = listAgents(catalog.definitions());
      host.print(
        `${flags.json ? JSON.stringify(all, undefined, 2) : definitionLines(all, columnsOf(host.stdout))}\n`,
      );
      finish(0);
    });
};
