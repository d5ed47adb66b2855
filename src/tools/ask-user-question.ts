import * as z from 'zod';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';

const option = z.object({
  label: z.string().min(1).describe('1 to 5 words'),
  description: z.string().optional().describe('What choosing it means'),
});
const question = z.object({
  question: z.string().min(1),
  header: z.string().optional().describe('Very short label, at most 12 characters'),
  options: z.array(option).min(2).max(4),
  multiSelect: z.boolean().default(false),
});

/** AskUserQuestion: one to four questions, answered by choosing or in the person's own words. */
export const askUserQuestionTool = (): Tool =>
  defineTool({
    name: 'AskUserQuestion',
    description:
      'Asks the user one to four questions with two to four options each, when a choice that matters is open and cannot be found out. The user may also answer in their own words; do not add an "other" option. Put the option you would take first.',
    input: z.object({ questions: z.array(question).min(1).max(4) }),
    call: ({ questions }) => ({
      input: { questions },
      subject: questions.map((one) => one.header ?? one.question).join(', '),
      readOnly: true,
      parallel: false,
      async run({ ask, call }) {
        const answer = await ask({
          kind: 'choice',
          call,
          questions: questions.map((one) => ({ header: '', ...one })),
        });
        if (answer.kind !== 'choice')
          return answer.kind === 'none' && answer.source === 'interrupt'
            ? { status: 'cancelled', text: '[interrupted] The user closed the question without an answer.' }
            : {
                status: 'error',
                text: `${answer.kind === 'none' ? answer.reason : 'There is no answer.'} Decide by what you know, and say what you decided.`,
              };
        const given = answer.answers.map((one): readonly [asked: string, words: string] => [
          one.question,
          [...one.chosen, ...(one.text ? [one.text] : [])].join(', '),
        ]);
        const answers = Object.fromEntries(given);
        const lines = given.map(([asked, words]) => `${asked} → ${words === '' ? '(no answer)' : words}`);
        return {
          status: 'ok',
          text: `The user answered:\n${lines.join('\n')}`,
          response: { questions, answers },
          display: { kind: 'text', body: lines.join('\n'), prose: true },
        };
      },
    }),
  });
