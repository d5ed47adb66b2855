/** `coppice doctor [--json] [--online]` (ruling 57): exit 1 only when something fails. */
import { columnsOf } from '../../lib/hanging.ts';
import type { Flags } from '../flags.ts';
import type { Subcommand } from './place.ts';

export const doctorCommand: Subcommand = (program, host, finish) => {
  program
    .command('doctor')
    .description('what is configured, from where, what is wrong and how to mend it')
    .option('--json', 'as a JSON array')
    .option('--online', 'also ask the model endpoint whether it is there')
    .action(async (own: { readonly json?: boolean; readonly online?: boolean }) => {
      const { quietHouse } = await import('../quiet-house.ts');
      const { examine } = await import('../doctor.ts');
      const { checkLines } = await import('../doctor-check.ts');
      const house = await quietHouse(host, program.opts<Flags>());
      await house.library.catalog.includeNested();
      const checks = await examine(house, own.online ? 'online' : 'offline');
      host.print(
        `${own.json ? JSON.stringify(checks, null, 2) : checkLines(checks, columnsOf(host.stdout))}\n`,
      );
      await house.close();
      finish(checks.some(({ status }) => status === 'fail') ? 1 : 0);
    });
};
