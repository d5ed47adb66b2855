/** Tables of options are long; these keep them readable: names in one string, parted by blanks. */
export const list = (names: string): readonly string[] => names.split(/\s+/).filter((name) => name !== '');

/** `-o --output: writes a file; -T: reads a file` as a table from option to reason. */
export const reasons = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(';').flatMap((part) => {
      const at = part.indexOf(': ');
      return list(part.slice(0, at)).map((name): [string, string] => [name, part.slice(at + 2).trim()]);
    }),
  );
