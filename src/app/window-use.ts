/** What fills the window, estimated by size; the service's own count stands beside it. */
import type { WindowUse } from '../commands/context.ts';
import type { SessionState } from '../contract/state.ts';
import type { House } from './house.ts';

const charsPerToken = 3.6;
const tokensOf = (value: unknown): number => Math.ceil(JSON.stringify(value).length / charsPerToken);

export const windowUse = async (house: House, state: SessionState): Promise<WindowUse> => {
  const tools = (house.open.now()?.tools(state) ?? []).map((tool) => tool.schema);
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
    window: house.models.facts(state.model).window,
    counted: state.contextTokens,
    countedBy: house.models.practice ? 'practice' : 'service',
    parts: [
      { name: 'system prompt', tokens: tokensOf(house.briefing.system(undefined)) },
      { name: 'tools', tokens: tokensOf(own) },
      ...(servers.length > 0 ? [{ name: 'tool servers', tokens: tokensOf(servers) }] : []),
      { name: 'instructions and facts', tokens: tokensOf(reminders) },
      { name: 'conversation', tokens: tokensOf(talk) },
      { name: 'tool calls and results', tokens: tokensOf(results) },
    ],
  };
};
