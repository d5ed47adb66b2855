/** Files and folders below a directory by parts of their names: known after the first look, fresh soon after each. */

export interface FileNames {
  /** The best few for a query, best first; none when another query came meanwhile. */
  best(query: string, count: number): Promise<readonly string[]>;
}

interface Known {
  readonly root: string;
  readonly at: number;
  readonly paths: readonly string[];
  /** The same in small letters. */
  readonly small: readonly string[];
}

/** After so many milliseconds the list is read again while the old one answers. */
const FRESH_MS = 10_000;
/** Paths that are looked at before other work has its turn. */
const AT_ONCE = 10_000;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** `list` answers paths of files from `root` on; what it cannot list is nothing. */
export const fileNames = (
  list: (root: string) => Promise<readonly string[]>,
  root: () => string,
  now: () => number = Date.now,
): FileNames => {
  let known: Known | undefined;
  let reading: { readonly root: string; readonly done: Promise<Known> } | undefined;
  let rounds = 0;
  /** What fitted last: a longer query fits only among them. */
  let fitted: { readonly of: Known; readonly query: string; readonly places: readonly number[] } | undefined;

  const read = (at: string): Promise<Known> => {
    if (reading?.root === at) return reading.done;
    const done = list(at).then((files) => {
      const paths = [...foldersOf(files), ...files];
      const found: Known = { root: at, at: now(), paths, small: paths.map((path) => path.toLowerCase()) };
      if (reading?.done === done) {
        reading = undefined;
        known = found;
      }
      return found;
    });
    reading = { root: at, done };
    return done;
  };

  return {
    async best(query, count) {
      const at = root();
      if (known?.root === at && now() - known.at > FRESH_MS) void read(at);
      const here = known?.root === at ? known : await read(at);
      const round = ++rounds;
      const wanted = query.toLowerCase();
      const among =
        fitted?.of === here && fitted.query !== '' && wanted.startsWith(fitted.query)
          ? fitted.places
          : undefined;
      const places: number[] = [];
      const top: { readonly place: number; readonly points: number }[] = [];
      const look = (place: number): void => {
        const points = closeness(wanted, here.small[place] ?? '');
        if (points === undefined) return;
        places.push(place);
        // Files come in no order: what fits equally well stands by name.
        const beats = (one: { readonly place: number; readonly points: number } | undefined): boolean =>
          one !== undefined &&
          (points > one.points ||
            (points === one.points && (here.small[place] ?? '') < (here.small[one.place] ?? '')));
        if (top.length === count && !beats(top.at(-1))) return;
        const before = top.findIndex(beats);
        top.splice(before < 0 ? top.length : before, 0, { place, points });
        if (top.length > count) top.pop();
      };
      const total = among?.length ?? here.small.length;
      for (let done = 0; done < total; done++) {
        // The letter just typed is drawn first, and the next one is not kept waiting.
        if (done % AT_ONCE === 0 && total > AT_ONCE) await turn();
        if (round !== rounds) return [];
        look(among ? (among[done] ?? 0) : done);
      }
      fitted = { of: here, query: wanted, places };
      return top.map(({ place }) => here.paths[place] ?? '');
    },
  };
};

/** Every folder on the way to a file, with a slash at its end. */
const foldersOf = (files: readonly string[]): ReadonlySet<string> => {
  const folders = new Set<string>();
  for (const file of files)
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
};

/**
 * Higher is better; undefined when the letters do not stand in the path in this order. Both in small letters. The
 * name counts more than the folders before it, what stands together more than what is spread, short more than long.
 */
const closeness = (query: string, path: string): number | undefined => {
  if (query === '') return -path.split('/').length * 1000 - path.length;
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  const name = path.lastIndexOf('/', end - 1) + 1;
  if (path.startsWith(query, name)) return 1000 - path.length;
  const inName = path.indexOf(query, name);
  if (inName >= 0) return 800 - (inName - name) - path.length;
  if (path.includes(query)) return 600 - path.length;
  const spread = gaps(query, path, name) ?? gaps(query, path, 0);
  return spread === undefined ? undefined : (spread.inName ? 400 : 200) - spread.count - path.length / 10;
};

/** Letters left out between those of the query, looked for from a place on. */
const gaps = (
  query: string,
  path: string,
  from: number,
): { readonly count: number; readonly inName: boolean } | undefined => {
  let at = from - 1;
  let count = 0;
  for (const char of query) {
    const next = path.indexOf(char, at + 1);
    if (next < 0) return undefined;
    if (at >= from) count += next - at - 1;
    at = next;
  }
  return { count, inName: from > 0 };
};
