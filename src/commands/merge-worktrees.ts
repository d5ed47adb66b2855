/** Merges worktrees one after the other, as far as a person has a say in it. */
import type { CommandPlace, CommandResult } from '../contract/command.ts';
import type { MergeDesk, QueueReport } from '../contract/worktree.ts';
import { refused, text } from './answer.ts';

/** Says first which of them touch the same lines; hands what stops it to the assistant or the person. */
export const merge = async (
  names: readonly string[],
  check: string | undefined,
  desk: MergeDesk,
  at: string,
  { screen }: CommandPlace,
): Promise<CommandResult> => {
  const overlaps = names.length > 1 ? await desk.overlaps(at, names) : [];
  if ('refused' in overlaps) return refused(overlaps.refused);
  const warned = overlaps.map(
    ({ names: [a, b], path, lines }) => `- ${a} and ${b} both changed ${path} around line ${lines[0]}`,
  );
  if (warned.length > 0) {
    screen.print(['These touch the same lines:', ...warned].join('\n'));
    if (screen.interactive) {
      const go = await screen.pick({
        title: 'Merge them all the same?',
        items: [
          { value: true, label: 'Yes, in this order, stopping at the first conflict' },
          { value: false, label: 'No' },
        ],
      });
      if (!go) return text('Nothing was merged.');
    }
  }
  const report = await desk.queue(at, names, check);
  if ('refused' in report) return refused(report.refused);
  const { merged, stopped } = report;
  const good = merged.length > 0 ? `Merged ${merged.join(', ')}.` : 'Nothing was merged.';
  if (!stopped) return text(`${good} Remove what is no longer needed with /worktrees remove NAME.`);
  const told = `${good}\n\n${problemOf(stopped)}`;
  if (!screen.interactive) return refused(told);
  screen.print(told);
  const to = await screen.pick<'agent' | 'person'>({
    title: `Who looks at ${stopped.name}?`,
    items: [
      { value: 'agent', label: 'The assistant, in the worktree' },
      { value: 'person', label: 'I do' },
    ],
  });
  return to === 'agent'
    ? resolving(stopped.name, told)
    : text(`${stopped.name} is as it was; merge it again with /worktrees merge ${stopped.name}.`);
};

const problemOf = ({ name, why, conflicts, output }: NonNullable<QueueReport['stopped']>): string =>
  [
    `${name} was not merged: ${why}.`,
    ...conflicts.map(({ path, says }) => `- ${path}: ${says}`),
    ...(output ? ['', '```', output.slice(-4_000), '```'] : []),
  ].join('\n');

const resolving = (name: string, told: string): CommandResult => ({
  kind: 'prompt',
  display: `Resolve the merge of ${name}`,
  text: `${told}\n\nEnter that worktree (EnterWorktreeTool with name ${JSON.stringify(name)}), merge the branch of the main checkout into its branch there, resolve what conflicts or fails so that both intentions are kept, run the checks, commit, and leave it with ExitWorktreeTool and action "keep". Do not change the main checkout; say when it can be merged.`,
});
