const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  );
};

/** A value as the trust question shows it and the record keeps it: JSON with its keys in order, nothing left out. */
export const said = (value: unknown): string => JSON.stringify(ordered(value)) ?? 'null';

/** What stands beside the facts that were named already; empty when that is nothing. */
export const saidBeside = (rest: Readonly<Record<string, unknown>>): string =>
  Object.values(rest).every((value) => value === undefined) ? '' : ` with ${said(rest)}`;
