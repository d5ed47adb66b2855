/** Where commands run with less than the person may do. Owner: sandbox/. */
export type SandboxState =
  | { readonly state: 'off' }
  | { readonly state: 'on' }
  /** Wanted, and not to be had: why, and what to do about it, in sentences. */
  | { readonly state: 'unavailable'; readonly reason: string; readonly fix: string };

/** What a command works in. All paths are absolute. */
export interface SandboxPlace {
  readonly checkout: string;
  readonly project: string;
  /** Further working directories. */
  readonly directories: readonly string[];
  /** In plan mode nothing but the scratch folder may be written. */
  readonly planning: boolean;
}

/** One command's sandbox. */
export interface Box {
  /** A line of bash that runs the script in COPPICE_SCRIPT inside. */
  readonly line: string;
  /** A folder of ours that can be written inside; TMPDIR there. */
  readonly scratch: string;
  /** To be called when the command has ended. Answers with what it left that could run later, and was taken away. */
  done(): readonly string[];
}

export interface Sandbox {
  /** What is known now; `unavailable` until it was looked at. */
  state(): SandboxState;
  /** Looks once whether a sandbox can be had. */
  ready(): Promise<SandboxState>;
  /** Undefined: the command runs outside, as everything would. `refused` says why it must not run at all. */
  box(place: SandboxPlace): Promise<Box | { readonly refused: string } | undefined>;
  /** What commands inside may write, not write and not read. */
  law(place: SandboxPlace): SandboxLaw;
  close(): Promise<void>;
}

export interface SandboxLaw {
  readonly allowWrite: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowedDomains: readonly string[];
  readonly deniedDomains: readonly string[];
}
