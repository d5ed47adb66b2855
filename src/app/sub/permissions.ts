/** `coppice permissions check [FILE]` (ruling 52). */
import { lstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Subcommand } from './place.ts';

const allInput = async (stream: NodeJS.ReadStream): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8');
};

export const permissionsCommand: Subcommand = (program, host, finish) => {
  const permissions = program
    .command('permissions')
    .description('explain what would be allowed, asked or denied');
  permissions
    .command('check [file]')
    .description(
      'judge calls given as a JSON object or JSON lines, from a file or standard input; nothing is run',
    )
    .action(async (file: string | undefined) => {
      const { placeOf } = await import('./place.ts');
      const { checkPermissions } = await import('../../permission/check-lines.ts');
      const { diskLinks } = await import('../../permission/link-reader.ts');
      const { parseRule } = await import('../../permission/rule.ts');
      const { ruleTexts } = await import('../../settings/load.ts');
      const { projectRoot } = await import('../../settings/home.ts');
      const place = await placeOf(host);
      const input =
        file === undefined || file === '-'
          ? await allInput(host.stdin)
          : await readFile(file, 'utf8').catch(() => undefined);
      if (input === undefined) {
        host.tell(`coppice: ${file} cannot be read.\n`);
        finish(2);
        return;
      }
      const { settings } = place.loaded;
      const rules = ruleTexts(place.loaded, place.project).flatMap(
        (one) =>
          parseRule(one.text, one.behavior, { source: one.source, file: one.file, anchor: one.anchor })
            .rule ?? [],
      );
      const { lines, exitCode } = checkPermissions(input, {
        world: {
          rules,
          mode: 'default',
          cwd: place.cwd,
          home: place.home ?? '/',
          project: place.project,
          directories: settings.permissions?.additionalDirectories ?? [],
          gitReadOnly: place.trusted && settings.gitReadOnly !== false,
          readLink: diskLinks,
        },
        projectOf: (directory) =>
          projectRoot(
            directory,
            place.home,
            (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
          ),
      });
      host.print(lines.map((line) => `${line}\n`).join(''));
      finish(exitCode);
    });
};
