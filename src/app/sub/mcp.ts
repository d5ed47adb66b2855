/** `coppice mcp add|add-json|list|get|check|remove` (ruling 57): scopes local (default), project, user. */

import { join } from 'node:path';
import { inherited } from '../../hooks/environment.ts';
import { safeText } from '../../lib/safe-text.ts';
import { type Flags, UsageError } from '../flags.ts';
import type { ListedServer } from './mcp-listed.ts';
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

/** Names of variables and headers are shown, what they hold may be secret. */
const shown = ({ config, held }: ListedServer): object => {
  const { held: _, ...rest } = config;
  const names = (map: Readonly<Record<string, string>>) => Object.keys(map);
  return {
    ...(rest.type === 'stdio'
      ? { ...rest, env: names(rest.env) }
      : { ...rest, headers: names(rest.headers) }),
    ...(held ? { held } : {}),
  };
};

export const mcpSubcommand: Subcommand = (program, host, finish) => {
  const mcp = program.command('mcp').description('tool servers');
  const fail = (text: string): void => {
    host.tell(`coppice: ${text}\n`);
    finish(1);
  };
  /** Changes `mcpServers` of one file; other keys stay. */
  const change = async (
    place: Place,
    scope: string,
    edit: (servers: Record<string, unknown>) => Record<string, unknown> | undefined,
  ): Promise<boolean> => {
    const { changeServers } = await import('../server-file.ts');
    const file = fileOf(place, scope);
    const keep = scope === 'user' ? undefined : await (await import('../keep-trust.ts')).keepTrust(host);
    const problem = await changeServers(file, edit);
    if (problem) {
      fail(problem);
      return false;
    }
    await keep?.();
    if (scope === 'local')
      await (await import('../git-exclude.ts')).excludeFromGit(
        place.project,
        '/.coppice/settings.local.json',
      );
    return true;
  };
  const add = async (name: string, scope: string, entry: unknown): Promise<void> => {
    const { placeOf } = await import('./place.ts');
    const { readServers } = await import('../../servers/config.ts');
    if (!/^[A-Za-z0-9_-]+$/.test(name))
      throw new UsageError(`A server's name has letters, digits, - and _ only, not "${name}".`);
    const { servers, problems } = readServers(
      { [name]: entry },
      { source: 'mcp add', scope: 'user' },
      inherited(host.env, []),
    );
    if (servers.length === 0) throw new UsageError(problems.join(' '));
    const place = await placeOf(host);
    let taken = false;
    const done = await change(place, scope, (there) => {
      taken = Object.hasOwn(there, name);
      return taken ? undefined : { ...there, [name]: entry };
    });
    if (taken)
      return fail(
        `There is a server named ${name} already; remove it first: coppice mcp remove ${name} -s ${scope}.`,
      );
    if (!done) return;
    const waits =
      scope === 'user' || place.trusted ? '' : ' It starts once this folder is trusted (coppice trust).';
    host.print(
      `Added ${name} (${scope}) to ${fileOf(place, scope)}.${waits} coppice mcp check ${name} tries it.\n`,
    );
    finish(0);
  };
  mcp
    .command('add <name> <command-or-url> [args...]')
    .description('add a server: coppice mcp add NAME -- COMMAND ARGS, or coppice mcp add NAME URL')
    .allowUnknownOption()
    .option('-s, --scope <scope>', 'local, project or user', 'local')
    .option('-t, --transport <type>', 'stdio, http or sse (http for an address, else stdio)')
    .option('-e, --env <NAME=VALUE>', 'a variable; repeatable', collect)
    .option('-H, --header <NAME: VALUE>', 'a header; repeatable', collect)
    .action(
      async (
        name: string,
        target: string,
        args: readonly string[],
        flags: {
          readonly scope: Scope;
          readonly transport?: string;
          readonly env?: readonly string[];
          readonly header?: readonly string[];
        },
      ) => {
        const transport = flags.transport ?? (/^https?:\/\//i.test(target) ? 'http' : 'stdio');
        if (!['stdio', 'http', 'sse'].includes(transport))
          throw new UsageError(`--transport takes stdio, http or sse, not "${transport}".`);
        if (transport !== 'stdio' && !URL.canParse(target))
          throw new UsageError(`"${target}" is no address.`);
        await add(
          name,
          flags.scope,
          transport === 'stdio'
            ? { type: 'stdio', command: target, args, env: pairs(flags.env, '=') }
            : { type: transport, url: target, headers: pairs(flags.header, ':') },
        );
      },
    );
  mcp
    .command('add-json <name> <json>')
    .description(
      'add a server as other programs write it: \'{"command": "npx", "args": ["-y", "some-server"]}\'',
    )
    .option('-s, --scope <scope>', 'local, project or user', 'local')
    .action(async (name: string, json: string, flags: { readonly scope: string }) => {
      const { parseJson } = await import('../../settings/read-file.ts');
      const read = parseJson(json);
      if (!('value' in read))
        throw new UsageError(
          `The entry is no JSON: found ${read.wrong.found}, expected ${read.wrong.expected}.`,
        );
      await add(name, flags.scope, read.value);
    });
  mcp
    .command('list', { isDefault: true })
    .description('list configured servers')
    .option('--json', 'as a JSON array')
    .action(async (flags: { readonly json?: boolean }) => {
      const { listedServers } = await import('./mcp-listed.ts');
      const { servers, problems } = await listedServers(host, program.opts<Flags>());
      for (const problem of problems) host.tell(`${problem}\n`);
      const { targetOf } = await import('../../servers/config.ts');
      const rows = servers.map(({ config: one, held }) => ({
        name: one.name,
        type: one.type,
        target: targetOf(one),
        scope: one.scope,
        source: one.source,
        ...(held ? { held } : {}),
      }));
      host.print(
        flags.json
          ? `${JSON.stringify(rows)}\n`
          : rows
              .map(
                ({ name, type, target, scope, source, held }) =>
                  `${safeText(`${name}  ${type}  ${target}  (${scope}, ${source}${held ? `, ${held}` : ''})`)}\n`,
              )
              .join(''),
      );
      if (servers.some(({ held }) => held === 'needs trust'))
        host.tell('What needs trust starts once this folder is trusted: coppice trust.\n');
      finish(0);
    });
  mcp
    .command('get <name>')
    .description('show one server')
    .action(async (name: string) => {
      const { listedServers } = await import('./mcp-listed.ts');
      const { servers } = await listedServers(host, program.opts<Flags>());
      const found = servers.find(({ config }) => config.name === name);
      if (!found)
        return fail(
          `There is no server named ${name}. The servers are: ${servers.map(({ config }) => config.name).join(', ') || 'none'}.`,
        );
      host.print(`${JSON.stringify(shown(found), null, 2)}\n`);
      return finish(0);
    });
  mcp
    .command('check [name]')
    .description('start the servers configured here, or one, and say what each answers')
    .action(async (name: string | undefined) => {
      const { checkServers } = await import('./mcp-check.ts');
      finish(await checkServers(host, program.opts<Flags>(), name));
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
          host.print(`Removed ${name} (${scope}).\n`);
          return finish(0);
        }
      }
      return fail(`There is no server named ${name}${flags.scope ? ` in ${flags.scope}` : ''}.`);
    });
};
