/** What is old goes, once the person has their prompt. */
import { cleanup } from '../store/cleanup.ts';
import type { World } from './world.ts';

const KEEP_DAYS = 30;
const QUIET_MS = 3_000;

/**
 * Days that unused things are kept (`cleanupPeriodDays`, 30): for ever with 0, and as long as a file that may have meant
 * to say it cannot be understood.
 */
export const keptDays = ({ loaded }: Pick<World, 'loaded'>): number => {
  const { settings, problems } = loaded();
  const unclear = problems.some(
    ({ scope, key }) => scope !== 'project' && (key === '' || key === 'cleanupPeriodDays'),
  );
  return unclear ? Infinity : (settings.cleanupPeriodDays ?? KEEP_DAYS) || Infinity;
};

/** Deletes conversations that nobody wrote to for that long. Answers how many went; never rejects. */
export const tidy = async (world: World, now: number): Promise<number> => {
  const { homes, stores } = world;
  const days = keptDays(world);
  if (!homes.own || stores.memoryOnly || days === Infinity) return 0;
  return cleanup(homes.own, days, now).then(
    ({ removed }) => removed,
    () => 0,
  );
};

/** After the first frame and the first keys; a program that ends before leaves it to the next one. */
export const tidyLater = (world: World): void =>
  void setTimeout(() => void tidy(world, Date.now()), QUIET_MS).unref();
