/** Letters to change, add, leave out or swap with their neighbour. */
export const distance = (one: string, other: string): number => {
  let before: readonly number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
};

const far = (wish: string, name: string): number => {
  const [a, b] = [wish.toLowerCase(), name.toLowerCase()];
  if (b.startsWith(a) || a.startsWith(b)) return 0.5;
  if (b.split(/[:_./-]/).includes(a)) return 0.7;
  return distance(a, b);
};

/** The names a wrong one may have meant, the nearest first, at most three. */
export const nearNames = (wish: string, names: readonly string[]): readonly string[] =>
  [...new Set(names)]
    .map((name) => ({ name, far: far(wish, name) }))
    .filter((one) => one.far <= Math.max(1, Math.floor(Math.max(wish.length, one.name.length) / 3)))
    .toSorted((a, b) => a.far - b.far)
    .slice(0, 3)
    .map((one) => one.name);
