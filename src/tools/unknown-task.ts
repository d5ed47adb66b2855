import type { BackgroundWork } from '../contract/background.ts';

/** Names what there is instead. */
export const unknownTask = (work: BackgroundWork, id: string): string => {
  const known = work.ids().map((one) => {
    const task = work.get(one);
    return task ? `${one} (${task.kind}, ${task.status})` : one;
  });
  return known.length === 0
    ? `There is no background task "${id}"; nothing has run in the background.`
    : `There is no background task "${id}". Known are: ${known.join(', ')}.`;
};
