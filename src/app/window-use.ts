/** What fills the window, estimated by size; the service's own count stands beside it. */
import type { WindowUse } from '../commands/context.ts';
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import type { Briefing } from './briefing.ts';
import type { Models } from './models.ts';

const charsPerToken = 3.6;
const tokensOf = (value: unknown): number => Math.ceil(JSON.stringify(value).length / charsPerToken);

export interface WindowDeps {
  readonly models: Models;
  readonly briefing: Briefing;
  offered(state: SessionState): readonly Tool[];
}

export const windowUse = async (
  { models, briefing, offered }: WindowDeps,
  state: SessionState,
): Promise<WindowUse> => {
  const tools = offered(state).map((tool) => tool.schema);
  const blocks = state.messages.flatMap(
    (message) => message.content as readonly { readonly type: string; readonly text?: string }[],
  );
  const isReminder = (block: { readonly type: string; readonly text?: string }) =>
    block.type === 'text' && (block.text ?? '').startsWith('<system-reminder>');
  const reminders = blocks.filter(isReminder);
  const results = blocks.filter((block) => block.type === 'tool_result' || block.type === 'tool_use');
  const talk = blocks.filter(
    (block) => !isReminder(block) && block.type !== 'tool_result' && block.type !== 'tool_use',
  );
  const servers = tools.filter((tool) => tool.name.startsWith('mcp__'));
  const own = tools.filter((tool) => !tool.name.startsWith('mcp__'));
  return {
    window: models.facts(state.model).window,
    counted: state.contextTokens,
    countedBy: models.practice ? 'practice' : 'service',
    parts: [
      { name: 'system prompt', tokens: tokensOf(briefing.system(undefined)) },
      { name: 'tools', tokens: tokensOf(own) },
      ...(servers.length > 0 ? [{ name: 'tool servers', tokens: tokensOf(servers) }] : []),
      { name: 'instructions and facts', tokens: tokensOf(reminders) },
      { name: 'conversation', tokens: tokensOf(talk) },
      { name: 'tool calls and results', tokens: tokensOf(results) },
    ],
  };
};
