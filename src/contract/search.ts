/** Looks for files and for text in files, as git sees the tree: what is ignored is left out. Owner: search/. */
export interface FilesRequest {
  /** Absolute directory. */
  readonly root: string;
  /** Without a slash it matches names at any depth. */
  readonly glob: string;
  readonly signal: AbortSignal;
}

export interface GrepRequest {
  /** Regular expression in ripgrep's dialect. */
  readonly pattern: string;
  /** Absolute file or directory. */
  readonly root: string;
  readonly glob?: string;
  /** ripgrep's name of a file type: `ts`, `py`, `rust`. */
  readonly type?: string;
  readonly ignoreCase: boolean;
  /** Lets `.` match line ends and a match span lines. */
  readonly multiline: boolean;
  readonly before: number;
  readonly after: number;
  readonly signal: AbortSignal;
}

export interface FoundLine {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  /** False for a line of context. */
  readonly matches: boolean;
}

/** `cut`: there may be more than what is here. */
export type Found<One> =
  | { readonly found: readonly One[]; readonly cut: boolean }
  | { readonly problem: string };

/** Paths are absolute. A problem is a sentence: a bad pattern, no ripgrep, an interruption. */
export interface Search {
  /** Newest first. */
  files(request: FilesRequest): Promise<Found<string>>;
  /** Every file's path from the root on, in no order: for completion. `ignored` takes along what git ignores. */
  names(
    request: Pick<FilesRequest, 'root' | 'signal'> & { readonly ignored: boolean },
  ): Promise<Found<string>>;
  /** Files with a match, newest first. */
  filesWith(request: GrepRequest): Promise<Found<string>>;
  /** Lines by path; `max` counts them. */
  lines(request: GrepRequest, max: number): Promise<Found<FoundLine>>;
  /** Matching lines a file, by path. */
  counts(request: GrepRequest): Promise<Found<{ readonly path: string; readonly count: number }>>;
}
