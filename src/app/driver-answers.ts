/** What a driving program answered to the questions of the model: `answers` of the call's input (conventions 1). */
import * as z from 'zod';
import type { Answer, ChoiceQuestion } from '../contract/ask.ts';

const answers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** By question: a label, several of them (a list, or joined by commas), or words of its own. */
export const chosenBy = (questions: readonly ChoiceQuestion[], given: unknown): Answer => {
  const read = answers.safeParse(given);
  if (!read.success || questions.every(({ question }) => read.data[question] === undefined))
    return {
      kind: 'none',
      source: 'headless',
      reason: 'The driving program gave no answers that can be read.',
    };
  return {
    kind: 'choice',
    answers: questions.map(({ question, options, multiSelect }) => {
      const said = read.data[question] ?? [];
      const labels = options.map(({ label }) => label);
      const whole = typeof said === 'string' ? [said] : said;
      const parts =
        whole.every((one) => labels.includes(one)) || !multiSelect ? whole : whole.flatMap(listed);
      const own = parts.filter((part) => !labels.includes(part));
      return {
        question,
        chosen: labels.filter((label) => parts.includes(label)),
        ...(own.length > 0 ? { text: own.join(', ') } : {}),
      };
    }),
  };
};

const listed = (text: string): readonly string[] => text.split(',').map((part) => part.trim());
