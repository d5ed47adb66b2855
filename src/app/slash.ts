/** Slash commands of a running conversation: found, announced to hooks, run, and their results carried out. */
import { createRegistry, nearest, parseCommand } from '../commands/registry.ts';
import type {
  CommandRegistry,
  CommandResult,
  CommandScreen,
  SessionSwitch,
  SlashCommand,
} from '../contract/command.ts';
import type { HookScope } from '../contract/hook.ts';
import type { Session } from '../contract/session.ts';
import { reminder } from '../lib/reminder.ts';
import { builtinCommands, type Desk } from './builtin-commands.ts';
import type { House } from './house.ts';

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

export const createSlash = (house: House, desk: Desk): Slash => {
  const registry: CommandRegistry = createRegistry(
    builtinCommands(house, () => registry, desk),
    house.library.commands,
  );

  /** The one place that says a typed command becomes a prompt. */
  const announce = async (
    command: SlashCommand,
    args: string,
    line: string,
    scope: After['scope'],
  ): Promise<{ readonly context: readonly string[] } | { readonly blocked: string }> => {
    const { hooks } = house.hookHouse;
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

  return {
    registry,
    async run(line, session, screen, then) {
      const parsed = parseCommand(line);
      if (!parsed) return false;
      const command = registry.find(parsed.name);
      if (!command) {
        const near = nearest(
          parsed.name,
          registry.list().map((one) => one.name),
        );
        const text = `There is no command /${parsed.name}.${near.length > 0 ? ` Did you mean ${near.map((one) => `/${one}`).join(', ')}?` : ' Type / for the list.'}`;
        screen.print(text);
        then.failed?.(text);
        return true;
      }
      const heard = await announce(command, parsed.args, line, then.scope);
      if ('blocked' in heard) {
        const text = `A hook stopped /${command.name}: ${heard.blocked}`;
        screen.print(text);
        then.failed?.(text);
        return true;
      }
      const result = await command.run(parsed.args, { session, screen });
      await settle(withContext(result, heard.context), screen, then);
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
