/** Runs commands in process groups of their own. Owner: shell/. */
export interface ShellRequest {
  /** A bash script; run by `bash --norc --noprofile -c` without a terminal. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Where output goes as it comes (kept head and tail when larger than `maxFileBytes`). */
  readonly outputFile: string;
  readonly signal: AbortSignal;
  onOutput?(chunk: string): void;
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
}
export interface RunningCommand {
  readonly pid: number;
  readonly result: Promise<ShellResult>;
  /** Output so far, capped. */
  tail(): string;
  /** SIGTERM to the whole group, SIGKILL after 2 s. */
  stop(): Promise<void>;
  /** Detaches the command from the turn's signal and time limit (Ctrl+B). */
  detach(): void;
}
export interface Shell {
  start(request: ShellRequest): RunningCommand;
}

/** Background commands of one session tree, known by id; survive turns, not the process. */
export interface BackgroundCommands {
  adopt(
    command: string,
    running: RunningCommand,
    outputFile: string,
    onEnd: (id: string, result: ShellResult) => void,
  ): string;
  get(id: string):
    | {
        readonly id: string;
        readonly command: string;
        readonly status: 'running' | 'completed' | 'failed' | 'stopped';
        readonly outputFile: string;
        readonly exitCode?: number | null;
      }
    | undefined;
  ids(): readonly string[];
  stop(id: string): Promise<boolean>;
  wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
  stopAll(): Promise<void>;
}
