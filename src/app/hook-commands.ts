/** `coppice hooks list`, `run` and `replay` on the command line (ruling 53). */
import type { Command } from 'commander';
import type { Flags } from './flags.ts';
import type { Host } from './host.ts';

interface Options extends Flags {
  readonly json?: boolean;
  readonly input?: string;
  readonly event?: string;
  readonly run?: boolean;
  readonly yes?: boolean;
}

/** Flags of the program that also count after the subcommand. */
const shared = (command: Command): Command =>
  command
    .option('--json', 'print JSON')
    .option('--trust', 'treat this folder as trusted for this run')
    .option('--settings <file-or-json>', 'more settings')
    .option('--setting-sources <list>', 'which settings count: user,project,local')
    .option(
      '--plugin-dir <dir>',
      'a plugin folder; repeatable',
      (dir: string, before: readonly string[] | undefined) => [...(before ?? []), dir],
    );

const flagsOf = (command: Command): Options => command.optsWithGlobals<Options>();

/** Adds the subcommands; `done` is told the exit code. */
export const addHookCommands = (program: Command, host: Host, done: (code: number) => void): void => {
  const hooks = program.command('hooks').description('what is hooked to which event, and what it would do');
  const load = () => import('./hook-console.ts');

  shared(
    hooks.command('list').description('list the hooks in force, and what is wrong with the others'),
  ).action(async (_: unknown, command: Command) =>
    done(await (await load()).listHooks(host, flagsOf(command))),
  );
  shared(
    hooks
      .command('run')
      .description('dispatch an event now, and show what each hook did and what follows from it')
      .argument('<event>', 'e.g. PreToolUse')
      .option('--input <file>', 'JSON object with fields of the event; - is standard input'),
  ).action(async (event: string, _: unknown, command: Command) =>
    done(await (await load()).runHooks(host, flagsOf(command), event)),
  );
  shared(
    hooks
      .command('replay')
      .description('show the recorded hook runs of a session, or run them again and compare')
      .argument('<session>', 'id, name or transcript file')
      .option('--event <event>', 'only runs of this event')
      .option('--run', 'run them again with their recorded input')
      .option('--yes', 'with --run: do not ask'),
  ).action(async (session: string, _: unknown, command: Command) =>
    done(await (await load()).replaySession(host, flagsOf(command), session)),
  );
};
