/** The program: reads the command line, opens what it asks for, answers with an exit code. */
import type { Command } from 'commander';
import { errorText } from '../lib/error-text.ts';
import { columnsOf, hanging } from '../lib/hanging.ts';
import { checkFlags, checkPrompt, joinRules } from './check-flags.ts';
import type { FirstFrame } from './first-frame.ts';
import { createProgram, type Flags, UsageError } from './flags.ts';
import { addHookCommands } from './hook-commands.ts';
import { createHost, type Host } from './host.ts';
import { configCommand } from './sub/config.ts';
import { doctorCommand } from './sub/doctor.ts';
import { agentsCommand, skillsCommand } from './sub/lists.ts';
import { mcpSubcommand } from './sub/mcp.ts';
import { permissionsCommand } from './sub/permissions.ts';
import type { Finish, Subcommand } from './sub/place.ts';
import { pluginCommand } from './sub/plugin.ts';
import { tasksCommand } from './sub/tasks.ts';
import { teamCommand } from './sub/team.ts';
import { trustCommand } from './sub/trust.ts';
import { worktreeCommand } from './sub/worktree.ts';
import { VERSION } from './version.ts';

/** Each registers itself and loads what it needs when it is called. */
const subcommands: readonly Subcommand[] = [
  permissionsCommand,
  trustCommand,
  configCommand,
  skillsCommand,
  agentsCommand,
  doctorCommand,
  tasksCommand,
  teamCommand,
  mcpSubcommand,
  pluginCommand,
  worktreeCommand,
];

const report = (host: Host, error: unknown): number => {
  const text = errorText(error);
  host.tell(`${hanging(`coppice: ${text}`, columnsOf(host.stderr), '')}\n`);
  if (host.env.COPPICE_DEBUG && error instanceof Error) host.tell(`${error.stack}\n`);
  return error instanceof UsageError ? 2 : 1;
};

/** What nobody caught, said in one line. */
const tellFault = (host: Host, error: unknown): void => {
  const text = errorText(error);
  host.tell(
    `coppice: It ended by a fault of its own: ${text.split('\n', 1)[0]}. What was said until now is saved: go on with coppice --continue. COPPICE_DEBUG=1 shows where it was.\n`,
  );
  if (host.env.COPPICE_DEBUG && error instanceof Error) host.tell(`${error.stack}\n`);
};

/**
 * `frame` stands on the screen already: a run with a screen takes it over, any other takes it away. `handled` is called
 * right before signals are listened to here.
 */
export async function main(
  args: readonly string[],
  frame?: FirstFrame,
  handled: () => void = () => undefined,
): Promise<void> {
  const host = createHost();
  let restoreTerminal = () => frame?.abandon();
  host.onFault((error) => {
    restoreTerminal();
    tellFault(host, error);
  });
  const program = createProgram(VERSION);
  let code = 0;
  const finish: Finish = (given) => {
    code = given;
  };
  program.exitOverride().configureOutput({
    outputError: (text, write) => write(hanging(text, columnsOf(host.stderr), '')),
  });
  addHookCommands(program, host, (result) => {
    frame?.abandon();
    code = result;
  });
  program.action(async (prompt: string | undefined, given: Flags, command: Command) => {
    checkPrompt(command.args, given.print ? [] : program.commands.map((one) => one.name()));
    const flags = checkFlags(given, host.cwd);
    if (flags.teammate !== undefined) {
      frame?.abandon();
      handled();
      code = await (await import('./teammate.ts')).teammateRun(host, flags, flags.teammate);
      return;
    }
    const headless =
      flags.print || flags.initOnly || !host.stdout.isTTY || (!host.stdin.isTTY && prompt === undefined);
    if (headless) {
      frame?.abandon();
      const { printRun } = await import('./print.ts');
      handled();
      code = await printRun(host, flags, prompt);
      return;
    }
    await (await import('../front/ui/warm.ts')).warm(turn);
    const screen = (await import('./open-screen.ts')).openScreen(host, VERSION, frame);
    restoreTerminal = screen.restoreTerminal;
    await turn();
    const { interactive } = await import('./interactive.ts');
    handled();
    code = await interactive(host, flags, prompt, screen);
  });
  for (const add of subcommands) add(program, host, finish);
  for (const one of allOf(program)) one.exitOverride().allowExcessArguments(false);
  try {
    await program.parseAsync(joinRules(args), { from: 'user' });
  } catch (error) {
    frame?.abandon();
    code = isCommander(error) ? (error.exitCode === 0 ? 0 : 2) : report(host, error);
  }
  await wasRead(host);
  host.exit(code);
}

/** A slow reader gets everything; a signal ends the wait for one that reads no more. */
const wasRead = async ({ stdout, stderr, onSignal }: Host): Promise<void> => {
  const signalled = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) onSignal(signal, resolve);
  });
  await Promise.race([Promise.all([written(stdout), written(stderr)]), signalled]);
};

/** Lets what came in from the terminal be read. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A pipe takes 64 KB at a time: what was written must be through before the process ends. A reader that left counts. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve();
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });

const isCommander = (error: unknown): error is { readonly exitCode: number } =>
  error instanceof Error &&
  'exitCode' in error &&
  'code' in error &&
  String(error.code).startsWith('commander.');

const allOf = (program: Command): readonly Command[] =>
  program.commands.flatMap((one) => [one, ...allOf(one)]);
