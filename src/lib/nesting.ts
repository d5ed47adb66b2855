const isNest = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether a JSON value nests deeper than so many levels: whatever walks it by recursion would fall over it. */
export const nestsDeeper = (value: unknown, most: number): boolean => {
  let level: readonly object[] = isNest(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNest));
  }
  return false;
};
