import type { HookGroup } from './hook.ts';
import type { CallId, SessionId } from './ids.ts';
import type { Mode } from './mode.ts';
import type { Effort } from './model.ts';
import type { SessionState } from './state.ts';

/** An agent type as a session needs it; read from `agents/*.md`, `--agents` or built in (conventions 4). */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** The body: system prompt of a child. */
  readonly prompt: string;
  /** Canonical names or `Tool(spec)`; absent means all of the parent's. */
  readonly tools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly model?: string;
  readonly permissionMode?: Mode;
  readonly maxTurns?: number;
  readonly skills?: readonly string[];
  readonly hooks?: readonly HookGroup[];
  readonly mcpServers?: readonly unknown[];
  readonly memory?: 'user' | 'project' | 'local';
  readonly background?: boolean;
  readonly isolation?: 'worktree';
  readonly color?: string;
  readonly effort?: Effort;
  /** Said first where it is the main conversation (`--agent`). */
  readonly initialPrompt?: string;
  readonly source: 'builtin' | 'managed' | 'user' | 'project' | 'plugin' | 'flag';
  readonly path?: string;
  /** From the home of another program: its hooks are told tool names as that one spells them. */
  readonly foreign?: boolean;
}

/** AgentTool, forked skills, agent hooks and teammates all come through here. */
export interface SpawnRequest {
  readonly prompt: string;
  readonly label: string;
  readonly type: string;
  readonly parent: SessionState;
  readonly call?: CallId;
  readonly name?: string;
  readonly team?: string;
  readonly model?: string;
  readonly cwd?: string;
  readonly isolation?: 'worktree';
  readonly background: boolean;
  readonly mode?: Mode;
  /** Limits of this run; the agent parks with its partial result when one is reached. */
  readonly maxTurns?: number;
  readonly timeoutMs?: number;
  /** Spawned by an agent hook: prompt and agent hooks stay off inside (ruling 17). */
  readonly verifier?: boolean;
  /** The skill that it runs: its rules, effort and hooks hold inside. */
  readonly skill?: {
    readonly name: string;
    readonly path: string;
    readonly allow: readonly string[];
    readonly deny: readonly string[];
    readonly effort?: Effort;
  };
  readonly signal: AbortSignal;
}

export interface AgentResult {
  readonly status: 'done' | 'failed' | 'stopped';
  readonly text: string;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly ms: number;
  readonly worktree?: {
    readonly path: string;
    readonly branch?: string;
    readonly files: readonly string[];
    /** Diff stat in words. */
    readonly stat?: string;
  };
}

const LISTED = 20;

/** What the parent learns of a worktree that stays because it holds work. */
export const keptText = ({ path, branch, files, stat }: NonNullable<AgentResult['worktree']>): string => {
  const more = files.length > LISTED ? ` and ${files.length - LISTED} more` : '';
  const changed = files.length > 0 ? ` Files: ${files.slice(0, LISTED).join(', ')}${more}.` : '';
  return `[Its work is in the worktree ${path}${branch ? ` on branch ${branch}` : ''}${stat ? ` (${stat})` : ''}; nothing of it was merged.${changed}]`;
};

export interface AgentHandle {
  readonly id: SessionId;
  readonly output: string;
  readonly result: Promise<AgentResult>;
  /** Lets the parent go on; completion then arrives as a notice. False when it has ended already: its result is there. */
  toBackground(): Promise<boolean>;
}

export interface Agents {
  /** Throws nothing: a refusal (unknown type, too deep, too many) is a sentence. */
  spawn(request: SpawnRequest): Promise<AgentHandle | { readonly refused: string }>;
  stop(idOrName: string): Promise<{ readonly stopped: string } | { readonly refused: string }>;
  /** Continues a stopped or finished agent with a message: of `parent`, unless a person says it. */
  resume(
    idOrName: string,
    text: string,
    parent: SessionState,
    by?: 'person',
  ): Promise<AgentHandle | { readonly refused: string }>;
  /** Resolves when its run has ended, after `timeoutMs`, or on abort. */
  wait(idOrName: string, timeoutMs: number, signal: AbortSignal): Promise<void>;
  list(): readonly AgentInfo[];
}
export interface AgentInfo {
  readonly id: SessionId;
  readonly name?: string;
  readonly type: string;
  readonly label: string;
  readonly status: 'running' | 'waiting' | 'done' | 'failed' | 'stopped';
  readonly background: boolean;
  readonly output: string;
  readonly parent: SessionId;
}
