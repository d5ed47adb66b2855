/** `coppice plugin list [--json]` (ruling 54). */
import type { Flags } from '../flags.ts';
import type { Subcommand } from './place.ts';

export const pluginCommand: Subcommand = (program, host, finish) => {
  const plugin = program.command('plugin').description('plugin folders and what they bring');
  plugin
    .command('list', { isDefault: true })
    .description('list them')
    .option('--json', 'as a JSON array')
    .action(async (flags: { readonly json?: boolean }) => {
      const { placeOf } = await import('./place.ts');
      const { openPlugins } = await import('../plugin-house.ts');
      const { pluginRows } = await import('../plugin-rows.ts');
      const given = program.opts<Flags>();
      const place = await placeOf(host, { trust: given.trust, settings: given.settings });
      const house = await openPlugins({
        ...place,
        loaded: () => place.loaded,
        flagged: given.pluginDir ?? [],
      });
      const rows = await pluginRows(house, place.trusted);
      for (const problem of house.problems()) host.tell(`${problem}\n`);
      host.print(
        flags.json
          ? `${JSON.stringify(rows)}\n`
          : rows
              .map(
                (row) =>
                  `${row.name}  ${row.path}  skills ${row.skills.length}, agents ${row.agents.length}, commands ${row.commands.length}, hooks ${row.hooks}, servers ${row.servers.length}${row.active ? '' : '  (its hooks and servers wait for trust)'}\n`,
              )
              .join(''),
      );
      finish(0);
    });
};
