/** JSON that is changed in places and stays as written everywhere else: `1.0` stays `1.0`, `\u00e9` stays `\u00e9`. */

declare global {
  interface JSON {
    rawJSON(text: string): object;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** A tree for changing and writing again, not for reading: every number, text and truth value is its source. */
export const jsonSource = (text: string): unknown =>
  JSON.parse(text, (_key, value, { source }) => (source === undefined ? value : JSON.rawJSON(source)));

/** The blanks a document is indented by: the first that begin a line. None for a document on one line. */
export const indentOf = (text: string): string => /\n([ \t]+)"/.exec(text)?.[1] ?? '';
