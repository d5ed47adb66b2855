import type { SlashCommand } from '../contract/command.ts';
import { refused, text } from './answer.ts';

/** `/btw QUESTION`: answered from the conversation, while a turn runs too, without tools and without becoming part of it. */
export const btwCommand: SlashCommand = {
  name: 'btw',
  description: 'Ask something on the side; it stays out of the conversation',
  argumentHint: '<question>',
  source: 'builtin',
  instant: true,
  async run(args, { session }) {
    const question = args.trim();
    if (question === '') return refused('Type a question: /btw what was that flag called?');
    const answer = await session.aside(question);
    return 'failed' in answer ? refused(answer.failed) : text(answer.text);
  },
};

const RECAP =
  'Say where this conversation stands, for somebody who comes back to it: what was asked for, what is done, what is open or waits for an answer, and what the next step is. At most five short sentences or points.';

/** `/recap`: where the conversation stands, in a few sentences. */
export const recapCommand: SlashCommand = {
  name: 'recap',
  description: 'Where this conversation stands, in a few sentences',
  source: 'builtin',
  instant: true,
  async run(_args, { session }) {
    if (session.state().messages.length === 0) return refused('Nothing was said yet.');
    const answer = await session.aside(RECAP);
    return 'failed' in answer ? refused(answer.failed) : text(answer.text);
  },
};
