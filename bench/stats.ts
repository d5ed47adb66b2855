/** The value below which a share of the values lies (0.5 is the median). */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Runs every contender once, then once more, and so on, so that a slow minute of the machine hits all alike. */
export const alternate = async <Name extends string, Result>(
  rounds: number,
  contenders: Readonly<Record<Name, () => Promise<Result>>>,
): Promise<Record<Name, Result[]>> => {
  const names = Object.keys(contenders) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Result[]>;
  // One run that does not count: files get into the cache, code is compiled and kept.
  for (const name of names) await contenders[name]();
  for (let round = 0; round < rounds; round++)
    for (const name of names) results[name].push(await contenders[name]());
  return results;
};

/** The median of one field over several runs. */
export const medianOf = <Key extends string>(
  runs: readonly Readonly<Record<Key, number>>[],
  key: Key,
): number => median(runs.map((run) => run[key]));
