/** `coppice config get|set|list|schema` (ruling 57). */
import { join } from 'node:path';
import type { Subcommand } from './place.ts';

const parsedValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

export const configCommand: Subcommand = (program, host, finish) => {
  const config = program.command('config').description('read and change settings');
  const fail = (text: string, code: 1 | 2 = 1) => {
    host.tell(`coppice: ${text}\n`);
    finish(code);
  };
  config
    .command('get <key>')
    .description('print a value as JSON; exit code 1 when it is not set')
    .option('--show-source', 'also print the file that set it')
    .action(async (key: string, flags: { readonly showSource?: boolean }) => {
      const { placeOf } = await import('./place.ts');
      const { valueAt } = await import('../../settings/merge.ts');
      const { loaded } = await placeOf(host);
      const value = valueAt(loaded.settings, key.split('.'));
      if (value === undefined) return fail(`${key} is not set.`);
      const source =
        loaded.sources[key] ??
        Object.entries(loaded.sources).find(
          ([name]) => name.startsWith(`${key}.`) || key.startsWith(`${name}.`),
        )?.[1];
      host.print(`${JSON.stringify(value)}${flags.showSource && source ? `\t${source.file}` : ''}\n`);
      return finish(0);
    });
  config
    .command('set <key> <value>')
    .description('set a value: JSON, else taken as text')
    .option('--scope <scope>', 'user, project or local', 'user')
    .action(async (key: string, value: string, flags: { readonly scope: string }) => {
      const { placeOf } = await import('./place.ts');
      const { setSetting } = await import('../../settings/write.ts');
      const { PROJECT_HOME } = await import('../../settings/home.ts');
      const { homes, project } = await placeOf(host);
      const files: Readonly<Record<string, string | undefined>> = {
        user: homes.own && join(homes.own, 'settings.json'),
        project: join(project, PROJECT_HOME, 'settings.json'),
        local: join(project, PROJECT_HOME, 'settings.local.json'),
      };
      if (!Object.hasOwn(files, flags.scope))
        return fail(`--scope takes user, project or local, not "${flags.scope}".`, 2);
      const file = files[flags.scope];
      if (!file) return fail('There is no home directory; set HOME or COPPICE_CONFIG_DIR.');
      const parsed = parsedValue(value);
      const keep =
        flags.scope === 'user' ? undefined : await (await import('../keep-trust.ts')).keepTrust(host);
      const first = await setSetting(file, key, parsed);
      const written =
        'refused' in first && typeof parsed !== 'string' ? await setSetting(file, key, value) : first;
      if ('refused' in written) return fail('refused' in first ? first.refused : written.refused);
      await keep?.();
      if (flags.scope === 'local') {
        const { excludeFromGit } = await import('../git-exclude.ts');
        await excludeFromGit(project, `/${PROJECT_HOME}/settings.local.json`);
      }
      return finish(0);
    });
  config
    .command('list')
    .description('print all settings that are set')
    .option('--json', 'as {key: {value, source}}')
    .action(async (flags: { readonly json?: boolean }) => {
      const { placeOf } = await import('./place.ts');
      const { loaded } = await placeOf(host);
      const rows = Object.entries(loaded.sources).map(
        ([key, source]) => [key, { value: source.value, source: source.file }] as const,
      );
      host.print(
        flags.json
          ? `${JSON.stringify(Object.fromEntries(rows))}\n`
          : rows.map(([key, row]) => `${key} = ${JSON.stringify(row.value)}  (${row.source})\n`).join(''),
      );
      for (const problem of loaded.problems) host.tell(`${problem.text}\n`);
      return finish(0);
    });
  config
    .command('schema')
    .description('print the JSON Schema of settings.json, for editors')
    .action(async () => {
      const { settingsJsonSchema } = await import('../../settings/schema.ts');
      host.print(`${JSON.stringify(settingsJsonSchema(), null, 2)}\n`);
      finish(0);
    });
};
