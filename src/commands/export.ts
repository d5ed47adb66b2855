import type { SlashCommand } from '../contract/command.ts';
import type { Message } from '../contract/message.ts';
import { textOf } from '../contract/message.ts';
import { refused, text } from './answer.ts';

/** The conversation as Markdown a person can read and keep. */
const asMarkdown = (title: string, messages: readonly Message[]): string => {
  const parts = messages.flatMap((message) => {
    const words = textOf(
      message.content.filter(
        (block) => block.type !== 'text' || !(block as { text: string }).text.startsWith('<system-reminder>'),
      ),
    ).trim();
    const calls =
      message.role === 'assistant'
        ? message.content.flatMap((block) =>
            block.type === 'tool_use' ? [`> \`${String(block.name)}\` ${JSON.stringify(block.input)}`] : [],
          )
        : [];
    const body = [words, ...calls].filter((part) => part !== '').join('\n\n');
    return body === '' ? [] : [`## ${message.role === 'user' ? 'You' : 'Coppice'}\n\n${body}`];
  });
  return `# ${title}\n\n${parts.join('\n\n')}\n`;
};

/** `/export [FILE]`: writes the conversation; `save` never overwrites and answers the path or a sentence. */
export const exportCommand = (
  save: (
    name: string | undefined,
    markdown: string,
    cwd: string,
  ) => Promise<{ readonly path: string } | { readonly refused: string }>,
): SlashCommand => ({
  name: 'export',
  description: 'Write this conversation to a Markdown file',
  argumentHint: '[file]',
  source: 'builtin',
  instant: true,
  async run(args, { session }) {
    const state = session.state();
    if (state.messages.length === 0) return refused('There is nothing to export yet.');
    const saved = await save(
      args.trim() || undefined,
      asMarkdown(state.title ?? 'Conversation', state.messages),
      state.cwd,
    );
    return 'refused' in saved ? refused(saved.refused) : text(`Written to \`${saved.path}\`.`);
  },
});
