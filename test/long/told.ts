import type { TestContext } from 'vitest';

/** Prints it and keeps it in the log of the run: seeds, counts, figures. */
export const tell = async ({ annotate }: Pick<TestContext, 'annotate'>, text: string): Promise<void> => {
  process.stdout.write(`${text}\n`);
  await annotate(text);
};
