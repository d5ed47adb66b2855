/** Runs commands in process groups of their own. Owner: shell/. */
export interface ShellRequest {
  /** A bash script; run by `bash --norc --noprofile -c` without a terminal. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Files of `export` lines that hooks wrote, sourced before the script where they exist. */
  readonly envFiles?: readonly string[];
  /** Runs it inside a sandbox: a line of bash that runs what is in COPPICE_SCRIPT, and a folder to write in. */
  readonly sandbox?: { readonly line: string; readonly scratch: string };
  readonly timeoutMs: number;
  /** Where output goes that is too much for memory, and all of it once the command is detached. Its folder exists. */
  readonly outputFile: string;
  readonly signal: AbortSignal;
  /** Told that there is more output; `news()` has it. */
  onOutput?(): void;
}

export interface ShellResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly interrupted: boolean;
  /** Merged stdout and stderr, capped: head and tail with a note between. */
  readonly output: string;
  readonly totalBytes: number;
  readonly truncated: boolean;
  /** Directory the script ended in. */
  readonly cwd: string;
  readonly ms: number;
  /** The shell has ended, but processes that it started have not. */
  readonly leftRunning: boolean;
  /** Why there was no shell to run the script, as a sentence. */
  readonly notStarted?: string;
}

export interface RunningCommand {
  /** Process id of the shell, and id of its process group; 0 when it could not start. */
  readonly pid: number;
  readonly result: Promise<ShellResult>;
  /** Output so far, capped as the result's is. */
  tail(): string;
  /** Output since this was last asked; only the end of it when it is much. */
  news(): string;
  /** SIGTERM to the whole group, SIGKILL after 2 s. Resolves when the group is gone. */
  stop(): Promise<void>;
  /** Detaches the command from the turn's signal and time limit (Ctrl+B); from now on its output is in `outputFile`. */
  detach(): void;
}

export interface Shell {
  /** A command is about to come: what the first one needs is made meanwhile. */
  warm(): void;
  start(request: ShellRequest): RunningCommand;
  /** Ends every command and what they left running. Nothing can be started afterwards. */
  close(): Promise<void>;
}

export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  readonly status: 'running' | 'completed' | 'failed' | 'stopped';
  readonly outputFile: string;
  readonly exitCode?: number | null;
  /** Output so far, capped: head and tail. */
  readonly output: string;
}

/** Background commands of one session tree, known by id; survive turns, not the process. */
export interface BackgroundCommands {
  /** Detaches the command and answers its new id. */
  adopt(
    command: string,
    running: RunningCommand,
    outputFile: string,
    onEnd: (id: string, result: ShellResult) => void,
  ): string;
  get(id: string): BackgroundCommand | undefined;
  ids(): readonly string[];
  /** False when the id is unknown or the command has already ended. */
  stop(id: string): Promise<boolean>;
  /** Resolves when the command ends, after `timeoutMs`, or on abort. */
  wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
  stopAll(): Promise<void>;
}
