import type { CommandPlace, SlashCommand } from '../contract/command.ts';
import { table, text } from './answer.ts';

/** `/feedback` (`/bug`): what a report needs, to copy from the screen. Nothing is sent anywhere. */
export const feedbackCommand = (
  facts: (place: CommandPlace) => Promise<readonly (readonly [string, string])[]>,
): SlashCommand => ({
  name: 'feedback',
  aliases: ['bug'],
  description: 'What a report needs; nothing is sent',
  argumentHint: '[what went wrong]',
  source: 'builtin',
  instant: true,
  async run(args, place) {
    const words = args.trim();
    return text(
      [
        'Coppice sends nothing by itself. Give these facts to whoever you have it from, with what you did, what you expected and what happened:',
        ...(words ? [`> ${words.replaceAll('\n', '\n> ')}`] : []),
        table(['', ''], await facts(place)),
        '`/export FILE` writes the conversation to a file, `coppice doctor` says what is configured. Look through both before you pass them on.',
      ].join('\n\n'),
    );
  },
});
