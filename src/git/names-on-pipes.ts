export const nulSeparated = (text: string): readonly string[] =>
  text.split('\0').filter((part) => part !== '');

/** As git reads names with newlines in them from lines. */
export const quoted = (path: string): string =>
  /["\\\n\t\r]/.test(path)
    ? `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\r', '\\r')}"`
    : path;
