import type { SlashCommand } from '../contract/command.ts';
import { textOf } from '../contract/message.ts';
import { refused, text } from './answer.ts';

/** `/copy [N]`: the Nth last answer to the clipboard. `put` says honestly how it went. */
export const copyCommand = (put: (text: string) => Promise<string>): SlashCommand => ({
  name: 'copy',
  description: 'Copy an answer to the clipboard',
  argumentHint: '[N, from the last]',
  source: 'builtin',
  instant: true,
  async run(args, { session }) {
    const n = args.trim() === '' ? 1 : Number(args.trim());
    if (!Number.isInteger(n) || n < 1)
      return refused(`/copy takes a number of at least 1, not "${args.trim()}".`);
    const answers = session
      .state()
      .messages.filter((message) => message.role === 'assistant')
      .map((message) => textOf(message.content))
      .filter((answer) => answer.trim() !== '');
    const answer = answers.at(-n);
    return answer === undefined
      ? refused(
          answers.length === 0
            ? 'There is no answer to copy yet.'
            : `There are only ${answers.length} answers.`,
        )
      : text(await put(answer));
  },
});
