/** `coppice mcp add|list|get|remove` (ruling 57): scopes local (default), project, user. */
import { join } from 'node:path';
import { UsageError } from '../flags.ts';
import type { Place, Subcommand } from './place.ts';

type Scope = 'local' | 'project' | 'user';

const fileOf = (place: Place, scope: string): string => {
  if (scope === 'project') return join(place.project, '.mcp.json');
  if (scope === 'local') return join(place.project, '.coppice', 'settings.local.json');
  if (scope === 'user' && place.homes.own) return join(place.homes.own, 'settings.json');
  throw new UsageError(
    scope === 'user'
      ? 'There is no home directory; set HOME or COPPICE_CONFIG_DIR.'
      : `--scope takes local, project or user, not "${scope}".`,
  );
};

const pairs = (list: readonly string[] | undefined, separator: string): Record<string, string> =>
  Object.fromEntries(
    (list ?? []).map((one) => {
      const at = one.indexOf(separator);
      if (at <= 0) throw new UsageError(`"${one}" is not NAME${separator}VALUE.`);
      return [one.slice(0, at).trim(), one.slice(at + 1).trim()];
    }),
  );

const collect = (one: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  one,
];

export const mcpSubcommand: Subcommand = (program, host, finish) => {
  const mcp = program.command('mcp').description('tool servers');
  const fail = (text: string): void => {
    host.stderr.write(`coppice: ${text}\n`);
    finish(1);
  };
  /** Changes `mcpServers` of one file; other keys stay. */
  const change = async (
    place: Place,
    scope: string,
    edit: (servers: Record<string, unknown>) => Record<string, unknown> | undefined,
  ): Promise<boolean> => {
    const { changeServers } = await import('../server-file.ts');
    const problem = await changeServers(fileOf(place, scope), edit);
    if (problem) fail(problem);
    else if (scope === 'local')
      await (await import('../git-exclude.ts')).excludeFromGit(
        place.project,
        '/.coppice/settings.local.json',
      );
    return problem === undefined;
  };
  mcp
    .command('add <name> <command-or-url> [args...]')
    .description('add a server: coppice mcp add NAME -- COMMAND ARGS, or coppice mcp add -t http NAME URL')
    .allowUnknownOption()
    .option('-s, --scope <scope>', 'local, project or user', 'local')
    .option('-t, --transport <type>', 'stdio, http or sse', 'stdio')
    .option('-e, --env <NAME=VALUE>', 'a variable; repeatable', collect)
    .option('-H, --header <NAME: VALUE>', 'a header; repeatable', collect)
    .action(
      async (
        name: string,
        target: string,
        args: readonly string[],
        flags: {
          readonly scope: Scope;
          readonly transport: string;
          readonly env?: readonly string[];
          readonly header?: readonly string[];
        },
      ) => {
        const { placeOf } = await import('./place.ts');
        if (!['stdio', 'http', 'sse'].includes(flags.transport))
          throw new UsageError(`--transport takes stdio, http or sse, not "${flags.transport}".`);
        if (!/^[A-Za-z0-9_-]+$/.test(name))
          throw new UsageError(`A server's name has letters, digits, - and _ only, not "${name}".`);
        if (flags.transport !== 'stdio' && !URL.canParse(target))
          throw new UsageError(`"${target}" is no address.`);
        const entry =
          flags.transport === 'stdio'
            ? { type: 'stdio', command: target, args, env: pairs(flags.env, '=') }
            : { type: flags.transport, url: target, headers: pairs(flags.header, ':') };
        const place = await placeOf(host);
        let taken = false;
        const done = await change(place, flags.scope, (servers) => {
          taken = Object.hasOwn(servers, name);
          return taken ? undefined : { ...servers, [name]: entry };
        });
        if (taken)
          fail(
            `There is a server named ${name} already; remove it first: coppice mcp remove ${name} -s ${flags.scope}.`,
          );
        else if (done) {
          host.stdout.write(`Added ${name} (${flags.scope}) to ${fileOf(place, flags.scope)}.\n`);
          finish(0);
        }
      },
    );
  mcp
    .command('list', { isDefault: true })
    .description('list configured servers')
    .option('--json', 'as a JSON array')
    .action(async (flags: { readonly json?: boolean }) => {
      const { placeOf } = await import('./place.ts');
      const { configuredServers } = await import('../server-file.ts');
      const { configs, problems } = await configuredServers(await placeOf(host), host.env);
      for (const problem of problems) host.stderr.write(`${problem}\n`);
      const { targetOf } = await import('../../servers/config.ts');
      host.stdout.write(
        flags.json
          ? `${JSON.stringify(configs.map((one) => ({ name: one.name, type: one.type, target: targetOf(one), scope: one.scope, source: one.source })))}\n`
          : configs
              .map((one) => `${one.name}  ${one.type}  ${targetOf(one)}  (${one.scope}, ${one.source})\n`)
              .join(''),
      );
      finish(0);
    });
  mcp
    .command('get <name>')
    .description('show one server')
    .action(async (name: string) => {
      const { placeOf } = await import('./place.ts');
      const { configuredServers } = await import('../server-file.ts');
      const { configs } = await configuredServers(await placeOf(host), host.env);
      const found = configs.find((one) => one.name === name);
      if (!found) return fail(`There is no server named ${name}.`);
      const { env: _env, headers: _headers, ...shown } = { env: undefined, headers: undefined, ...found };
      host.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
      return finish(0);
    });
  mcp
    .command('remove <name>')
    .description('remove a server')
    .option('-s, --scope <scope>', 'local, project or user; the first that has it if left out')
    .action(async (name: string, flags: { readonly scope?: Scope }) => {
      const { placeOf } = await import('./place.ts');
      const place = await placeOf(host);
      for (const scope of flags.scope ? [flags.scope] : (['local', 'project', 'user'] as const)) {
        let had = false;
        const done = await change(place, scope, (servers) => {
          had = Object.hasOwn(servers, name);
          return had
            ? Object.fromEntries(Object.entries(servers).filter(([key]) => key !== name))
            : undefined;
        });
        if (!done) return;
        if (had) {
          host.stdout.write(`Removed ${name} (${scope}).\n`);
          return finish(0);
        }
      }
      return fail(`There is no server named ${name}${flags.scope ? ` in ${flags.scope}` : ''}.`);
    });
};
