/** What is old goes, once the person has their prompt. */
import { cleanup } from '../store/cleanup.ts';
import type { World } from './world.ts';

const KEEP_DAYS = 30;
const QUIET_MS = 3_000;

/** Deletes conversations that nobody wrote to for `cleanupPeriodDays` (30). Answers how many went; never rejects. */
export const tidy = async ({ homes, loaded, stores }: World, now: number): Promise<number> => {
  const days = loaded().settings.cleanupPeriodDays ?? KEEP_DAYS;
  if (!homes.own || stores.memoryOnly || days <= 0) return 0;
  return cleanup(homes.own, days, now).then(
    ({ removed }) => removed,
    () => 0,
  );
};

/** After the first frame and the first keys; a program that ends before leaves it to the next one. */
export const tidyLater = (world: World): void =>
  void setTimeout(() => void tidy(world, Date.now()), QUIET_MS).unref();
