/** `coppice trust [DIR] | --list [--json] | --revoke DIR` (ruling 1). */
import { lstatSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { visibleText } from '../../lib/safe-text.ts';
import type { Subcommand } from './place.ts';

export const trustCommand: Subcommand = (program, host, finish) => {
  program
    .command('trust [dir]')
    .description('trust a folder: its own hooks, servers, variables, allow rules and modes then count')
    .option('--list', 'list what is trusted')
    .option('--revoke <dir>', 'no longer trust a folder')
    .option('--json', 'with --list: as JSON')
    .action(
      async (
        dir: string | undefined,
        flags: { readonly list?: boolean; readonly revoke?: string; readonly json?: boolean },
      ) => {
        const { homesOf, projectRoot } = await import('../../settings/home.ts');
        const { openTrust } = await import('../trust-question.ts');
        const { definitionParts, executableParts } = await import('../../trust/parts.ts');
        const { placesBelow } = await import('../../catalog/nested.ts');
        const homes = homesOf(host.env);
        const home = homes.user ? real(homes.user) : undefined;
        const trust = openTrust(homes, home);
        const fail = (text: string) => {
          host.tell(`coppice: ${text}\n`);
          finish(1);
        };
        if (!trust)
          return fail('There is no home directory to keep trust in; set HOME or COPPICE_CONFIG_DIR.');
        if (flags.list) {
          const records = (await trust.list()).map(({ path, trustedAt, fingerprint }) => ({
            path,
            trustedAt,
            fingerprint,
          }));
          host.print(
            flags.json
              ? `${JSON.stringify(records)}\n`
              : records.map((record) => `${record.path}  (${record.trustedAt})\n`).join(''),
          );
          return finish(0);
        }
        if (flags.revoke !== undefined) {
          const path = real(resolve(host.cwd, flags.revoke));
          const root = projectRoot(
            path,
            home,
            (file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined,
          );
          if ((await trust.revoke(path)) || (await trust.revoke(root))) return finish(0);
          return fail(`${path} was not trusted.`);
        }
        const wished = resolve(host.cwd, dir ?? '.');
        if (!lstatSync(wished, { throwIfNoEntry: false })) return fail(`${wished} does not exist.`);
        const path = real(wished);
        const root = projectRoot(
          path,
          home,
          (file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined,
        );
        const parts = await executableParts(root);
        const below = placesBelow({ cwd: root, compatibility: true }).map((place) => place.path);
        const more = await definitionParts(root, below);
        const refused = await trust.grant(root, parts, new Date(), more);
        if (refused) return fail(refused);
        host.print(
          `${visibleText(root)} is trusted.${parts.length + more.length > 0 ? ` What it can run or set:\n${[...parts, ...more].map((part) => `  ${visibleText(part)}\n`).join('')}` : '\n'}`,
        );
        return finish(0);
      },
    );
};

const real = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};
