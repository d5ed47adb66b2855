/** What tools answer, in the words a person should read. */
import * as z from 'zod';

/** Lines that say something. */
export const linesOf = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '');

/** Lines without the notes that tools put around them. */
export const entriesOf = (text: string): readonly string[] =>
  linesOf(text).filter((line) => !/^\[.*\]$/.test(line) && !/^(No files match\.|\(no output\))$/.test(line));

const NUMBERED = /^\s*\d+(?:\t|→)/;

/** The lines of a file as Read gives them, without their numbers. */
export const plainLines = (text: string): readonly string[] => {
  const rows = text.split('\n').filter((row) => NUMBERED.test(row));
  return rows.map((row) => row.replace(NUMBERED, ''));
};

/** What an agent said, without the facts about its run below it and its own label. */
export const agentWords = (text: string, label: string): string =>
  text
    .replace(/\n*\[agent [^\]\n]*\]\s*$/, '')
    .replace(`_${label}_`, '')
    .trim();

/** `question → choice` lines, without the sentence that tells the model whose they are. */
export const answers = (text: string): readonly string[] =>
  linesOf(text.replace(/^The user answered:\n/, ''));

const listing = z.object({
  tasks: z.array(z.object({ id: z.string(), subject: z.string(), status: z.string() })),
});

const BOXES: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸', cancelled: '✗' };

/** One line a task; what is no task list stays as it is. */
export const taskLines = (text: string): string => {
  const tasks = listing.safeParse(parsed(text)).data?.tasks;
  return tasks
    ? tasks.map(({ id, subject, status }) => `- ${BOXES[status] ?? '·'} ${id} ${subject}`).join('\n')
    : text;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the text is told as it is.
    return undefined;
  }
};
