/** Tool servers (conventions 14): programs and addresses that bring tools, prompts and resources. */
import type { Tool } from './tool.ts';

/** One server as configured, variables filled in. */
export type ServerConfig = {
  readonly name: string;
  /** Where it was configured: a file, `--mcp-config`, a plugin. */
  readonly source: string;
  readonly scope: 'local' | 'project' | 'user' | 'flag' | 'plugin' | 'managed';
  /** Milliseconds for one call. */
  readonly timeoutMs?: number;
} & (
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly type: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    }
);

export type ServerStatus =
  | 'starting'
  | 'connected'
  | 'failed'
  | 'disabled'
  | 'needs approval'
  | 'reconnecting';

export interface ServerState {
  readonly name: string;
  readonly status: ServerStatus;
  readonly scope: ServerConfig['scope'];
  readonly source: string;
  /** The literal command line or address. */
  readonly target: string;
  readonly error?: string;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: number;
  /** The last lines it wrote to standard error, or messages it logged. */
  readonly log: readonly string[];
}

export interface ServerResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** All servers of a run. */
export interface Servers {
  /** Tools of connected servers, in a stable order. */
  tools(): readonly Tool[];
  states(): readonly ServerState[];
  resources(): readonly ServerResource[];
  readResource(
    server: string,
    uri: string,
    signal: AbortSignal,
  ): Promise<{ readonly text: string } | { readonly refused: string }>;
  reconnect(name: string): Promise<string | undefined>;
  /** Resolves when every server has connected or failed once. */
  settled(): Promise<void>;
  close(): Promise<void>;
}
