/** Work that runs on while the conversation goes on: commands and agents alike, known by id (or an agent's name). */
export interface BackgroundItem {
  readonly id: string;
  readonly kind: 'command' | 'agent';
  /** The command, or what the agent was asked in a few words. */
  readonly label: string;
  /** `lost`: it ran when an earlier process of this session ended. */
  readonly status: 'running' | 'completed' | 'failed' | 'stopped' | 'lost';
  readonly outputFile: string;
  readonly exitCode?: number | null;
  /** Output so far where it is at hand; else it is read from the file. */
  readonly output?: string;
}

/** What TaskStopTool and TaskOutputTool stand on; composed of commands and agents in app/. */
export interface BackgroundWork {
  get(id: string): BackgroundItem | undefined;
  /** Ids known, the newest last. */
  ids(): readonly string[];
  /** A refusal is a sentence. */
  stop(id: string): Promise<{ readonly stopped: string } | { readonly refused: string }>;
  /** Resolves when it has ended, after `timeoutMs`, or on abort. */
  wait(id: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
}
