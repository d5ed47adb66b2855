/**
 * A text for a terminal: its lines broken at blanks, or at the edge where there is none, such as in a path. `room` is
 * how many characters a row takes (Infinity: lines stay whole), at least one; rows after the first begin with `indent`.
 */
export const hanging = (text: string, room: number, indent: string): string =>
  text
    .split('\n')
    .flatMap((line) => {
      const rows: string[] = [];
      let rest = line;
      while (rest.length > room) {
        const blank = rest.lastIndexOf(' ', room);
        const cut = blank > 0 ? blank : room;
        rows.push(rest.slice(0, cut));
        rest = rest.slice(cut).trimStart();
      }
      return [...rows, rest];
    })
    .join(`\n${indent}`);

/** How many characters a row of this stream takes; Infinity where it is no terminal, or one that does not know. */
export const columnsOf = (stream: { readonly columns?: number }): number =>
  stream.columns ? Math.max(20, stream.columns) : Number.POSITIVE_INFINITY;
