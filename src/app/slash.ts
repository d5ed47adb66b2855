/** Slash commands of a running conversation: found, announced to hooks, run, and their results carried out. */

import { refused } from '../commands/answer.ts';
import { createRegistry } from '../commands/registry.ts';
import type {
  CommandPlace,
  CommandRegistry,
  CommandResult,
  CommandScreen,
  SessionSwitch,
  SlashCommand,
} from '../contract/command.ts';
import type { HookScope, Hooks } from '../contract/hook.ts';
import type { Session } from '../contract/session.ts';
import { errorText } from '../lib/error-text.ts';
import { nearNames } from '../lib/near-names.ts';
import { reminder } from '../lib/reminder.ts';
import { parseCommand } from '../lib/slash-line.ts';

export interface Slash {
  readonly registry: CommandRegistry;
  /** Runs a line; false when it is no command and should be sent as text. */
  run(line: string, session: Session, screen: CommandScreen, then: After): Promise<boolean>;
}

/** What happens with a command's result. */
export interface After {
  send(text: string, display?: string): Promise<void>;
  switchTo(to: SessionSwitch): Promise<void>;
  exit(reason?: 'logout'): void;
  /** Hooks hear of skills and command files that are typed. */
  scope(): HookScope;
  failed?(text: string): void;
}

export interface SlashDeps {
  builtin(registry: () => CommandRegistry): readonly SlashCommand[];
  /** Skills and command files. */
  found(): readonly SlashCommand[];
  readonly hooks: Hooks;
}

/** Several skills may lead one line, no more than so many (conventions 3). */
const MOST_AT_ONCE = 6;

export const createSlash = ({ builtin, found, hooks }: SlashDeps): Slash => {
  const registry: CommandRegistry = createRegistry(
    builtin(() => registry),
    found,
  );

  /** The one place that says a typed command becomes a prompt. */
  const announce = async (
    command: SlashCommand,
    args: string,
    line: string,
    scope: After['scope'],
  ): Promise<{ readonly context: readonly string[] } | { readonly blocked: string }> => {
    if (command.source === 'builtin' || !hooks.listens('UserPromptExpansion')) return { context: [] };
    const verdict = await hooks.dispatch(
      'UserPromptExpansion',
      {
        expansion_type: command.name.startsWith('mcp__') ? 'mcp_prompt' : 'slash_command',
        command_name: command.name,
        command_args: args,
        command_source: command.source,
        prompt: line,
      },
      scope(),
    );
    const blocked = verdict.blocked ?? verdict.stop;
    return blocked === undefined ? { context: verdict.context } : { blocked };
  };

  const settle = async (result: CommandResult, screen: CommandScreen, then: After): Promise<void> => {
    switch (result.kind) {
      case 'done':
        return;
      case 'text':
        screen.print(result.text);
        if (result.failed) then.failed?.(result.text);
        return;
      case 'prompt':
        await then.send(result.text, result.display);
        return;
      case 'exit':
        then.exit(result.reason);
        return;
      case 'switch':
        await then.switchTo(result.to);
    }
  };

  const answerOf = async (
    command: SlashCommand,
    args: string,
    line: string,
    place: CommandPlace,
    scope: After['scope'],
  ): Promise<CommandResult> => {
    const heard = await announce(command, args, line, scope);
    return 'blocked' in heard
      ? refused(`A hook stopped /${command.name}: ${heard.blocked}`)
      : withContext(await command.run(args, place), heard.context);
  };

  /** `/a /b words`: skills and command files that lead a line together each get the words behind them. */
  const leading = (name: string, rest: string): { commands: readonly SlashCommand[]; args: string } => {
    const commands: SlashCommand[] = [];
    for (
      let next: ReturnType<typeof parseCommand> = { name, args: rest };
      next;
      next = parseCommand(next.args)
    ) {
      const command = registry.find(next.name);
      if (!command || (commands.length > 0 && command.source === 'builtin')) break;
      commands.push(command);
      rest = next.args;
      if (command.source === 'builtin' || commands.length === MOST_AT_ONCE) break;
    }
    return { commands, args: rest };
  };

  /** One after the other: what some of them say by themselves, then the prompt that the others make of the line. */
  const together = async (
    commands: readonly SlashCommand[],
    args: string,
    line: string,
    place: CommandPlace,
    scope: After['scope'],
  ): Promise<readonly CommandResult[]> => {
    const results: CommandResult[] = [];
    for (const command of commands) results.push(await answerOf(command, args, line, place, scope));
    if (results.length === 1) return results;
    const texts = results.flatMap((one) => (one.kind === 'prompt' ? [one.text] : []));
    const prompt = { kind: 'prompt', text: texts.join('\n\n'), display: line.trim() } as const;
    return [...results.filter(({ kind }) => kind !== 'prompt'), ...(texts.length > 0 ? [prompt] : [])];
  };

  const unknown = (name: string): CommandResult => {
    const names = registry.list().map((one) => one.name);
    const near = nearNames(name, names).map((one) => `/${one}`);
    return refused(
      `There is no command /${name}.${near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ' Type / for the list.'}`,
    );
  };

  return {
    registry,
    async run(line, session, screen, then) {
      const parsed = parseCommand(line);
      if (!parsed) return false;
      const { commands, args } = leading(parsed.name, parsed.args);
      // Nobody waits for what a screen was told: what goes wrong in a command is said, and ends nothing but it.
      try {
        const results =
          commands.length > 0
            ? await together(commands, args, line, { session, screen }, then.scope)
            : [unknown(parsed.name)];
        for (const result of results) await settle(result, screen, then);
      } catch (error) {
        await settle(refused(`/${parsed.name} failed: ${errorText(error)}`), screen, then);
      }
      return true;
    },
  };
};

/** What hooks have to say to a typed command goes along with its prompt. */
const withContext = (result: CommandResult, context: readonly string[]): CommandResult =>
  result.kind !== 'prompt' || context.length === 0
    ? result
    : {
        ...result,
        text: [
          result.text,
          ...context.map((text) => reminder(`UserPromptExpansion hook context: ${text}`).text),
        ].join('\n\n'),
      };
