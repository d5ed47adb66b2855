/** Tool servers (conventions 14): programs and addresses that bring tools, prompts and resources. */
import type { ImageBlock, TextBlock } from './message.ts';
import type { Tool } from './tool.ts';

/** One server as configured, variables filled in. */
export type ServerConfig = {
  readonly name: string;
  /** Where it was configured: a file, `--mcp-config`, a plugin. */
  readonly source: string;
  readonly scope: 'local' | 'project' | 'user' | 'flag' | 'plugin' | 'managed';
  /** Milliseconds for one call. */
  readonly timeoutMs?: number;
  /** Configured and not started: switched off, or new in a project since it was trusted. */
  readonly held?: 'disabled' | 'needs approval';
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
  | 'needs sign-in'
  | 'reconnecting';

/** A form that a server wants filled in. */
export interface Elicitation {
  readonly message: string;
  /** A JSON schema of flat properties. */
  readonly schema: Readonly<Record<string, unknown>>;
}
export type ElicitationAnswer =
  | { readonly action: 'accept'; readonly content: Record<string, string | number | boolean | string[]> }
  | { readonly action: 'decline' | 'cancel' };

export interface ServerState {
  readonly name: string;
  readonly status: ServerStatus;
  readonly scope: ServerConfig['scope'];
  readonly source: string;
  /** The literal command line or address. */
  readonly target: string;
  readonly error?: string;
  readonly tools: readonly string[];
  /** Tools beyond those that are offered. */
  readonly toolsLeftOut: number;
  readonly prompts: readonly string[];
  readonly resources: number;
  /** What it says of itself as a whole, for the model. */
  readonly instructions?: string;
  /** The last lines it wrote to standard error, or messages it logged. */
  readonly log: readonly string[];
}

export interface ServerResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** The address has places to fill in. */
  readonly template?: true;
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
  ): Promise<
    | { readonly text: string; readonly blocks?: readonly (TextBlock | ImageBlock)[] }
    | { readonly refused: string }
  >;
  /** Ends and starts one again; a sentence when that failed. One that is switched off is switched on. */
  reconnect(name: string): Promise<string | undefined>;
  /** Ends one until somebody reconnects it; a sentence when there is none of the name. */
  disable(name: string): Promise<string | undefined>;
  /** From now on these: what is new or different starts, what is gone ends, the rest goes on undisturbed. */
  configure(configs: readonly ServerConfig[]): void;
  /** The working directories are others now. */
  rootsChanged(): void;
  /** Resolves when every server has connected or failed once. */
  settled(): Promise<void>;
  close(): Promise<void>;
}
