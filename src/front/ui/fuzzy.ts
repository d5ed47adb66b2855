/** How well a query fits: higher is better, nothing when it does not. Beginnings of words count most. */
export function score(query: string, text: string): number | undefined {
  if (query === '') return 0;
  const [q, t] = [query.toLowerCase(), text.toLowerCase()];
  if (t === q) return 1000;
  if (t.startsWith(q)) return 800 - t.length;
  const word = t.search(new RegExp(`(^|[-_:/. ])${q.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));
  if (word >= 0) return 600 - word;
  const inside = t.indexOf(q);
  if (inside >= 0) return 400 - inside;
  let at = -1;
  let gaps = 0;
  for (const char of q) {
    const next = t.indexOf(char, at + 1);
    if (next < 0) return undefined;
    gaps += next - at - 1;
    at = next;
  }
  return 200 - gaps;
}

/** The entries that fit, best first; equal ones keep their order. */
export function ranked<T>(
  query: string,
  entries: readonly T[],
  textsOf: (entry: T) => readonly string[],
): T[] {
  return entries
    .map((entry, index) => ({
      entry,
      index,
      points: Math.max(-1, ...textsOf(entry).map((text) => score(query, text) ?? -1)),
    }))
    .filter((one) => one.points >= 0)
    .sort((a, b) => b.points - a.points || a.index - b.index)
    .map((one) => one.entry);
}
