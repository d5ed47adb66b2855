import type { Emit } from './event.ts';
import type { SessionId } from './ids.ts';
import type { Mode } from './mode.ts';
import type { SessionState } from './state.ts';
import type { HookRunRecord } from './transcript.ts';

type ToolFacts = { readonly tool_name: string; readonly tool_input: unknown; readonly tool_use_id: string };
type AgentFacts = { readonly agent_id: string; readonly agent_type: string };
type Ending = {
  readonly stop_hook_active: boolean;
  readonly last_assistant_message: string;
  readonly background_tasks: readonly unknown[];
  readonly session_crons: readonly unknown[];
};

/** The extra input fields per event (conventions 1). Its keys are the only list of event names in the program. */
export interface HookPayloads {
  PreToolUse: ToolFacts;
  PostToolUse: ToolFacts & { readonly tool_response: unknown; readonly duration_ms: number };
  PostToolUseFailure: ToolFacts & {
    readonly error: string;
    readonly is_interrupt?: boolean;
    readonly duration_ms: number;
  };
  PermissionRequest: Omit<ToolFacts, 'tool_use_id'> & { readonly permission_suggestions: readonly unknown[] };
  PermissionDenied: ToolFacts & { readonly reason: string; readonly source: string };
  Notification: { readonly message: string; readonly title?: string; readonly notification_type: string };
  UserPromptSubmit: { readonly prompt: string };
  UserPromptExpansion: {
    readonly expansion_type: 'slash_command' | 'mcp_prompt';
    readonly command_name: string;
    readonly command_args: string;
    readonly command_source: string;
    readonly prompt: string;
  };
  SessionStart: {
    readonly source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork';
    readonly model: string;
    readonly session_title?: string;
  };
  SessionEnd: { readonly reason: string };
  Stop: Ending;
  StopFailure: {
    readonly error: string;
    readonly error_details?: string;
    readonly last_assistant_message: string;
  };
  SubagentStart: AgentFacts;
  SubagentStop: AgentFacts & Ending & { readonly agent_transcript_path: string };
  PreCompact: { readonly trigger: 'manual' | 'auto'; readonly custom_instructions: string };
  PostCompact: { readonly trigger: 'manual' | 'auto'; readonly compact_summary: string };
  Setup: { readonly trigger: 'init' | 'maintenance' };
  ConfigChange: {
    readonly source: 'user_settings' | 'project_settings' | 'local_settings' | 'policy_settings' | 'skills';
    readonly file_path?: string;
  };
  InstructionsLoaded: {
    readonly file_path: string;
    readonly memory_type: 'User' | 'Project' | 'Local' | 'Managed';
    readonly load_reason: 'session_start' | 'nested_traversal' | 'path_glob_match' | 'include' | 'compact';
    readonly globs?: readonly string[];
    readonly trigger_file_path?: string;
    readonly parent_file_path?: string;
  };
  CwdChanged: { readonly old_cwd: string; readonly new_cwd: string };
  FileChanged: { readonly file_path: string; readonly event: 'change' | 'add' | 'unlink' };
  TaskCreated: {
    readonly task_id: string;
    readonly task_subject: string;
    readonly task_description?: string;
    readonly teammate_name?: string;
    readonly team_name?: string;
  };
  TaskCompleted: {
    readonly task_id: string;
    readonly task_subject: string;
    readonly task_description?: string;
    readonly teammate_name?: string;
    readonly team_name?: string;
  };
  TeammateIdle: { readonly teammate_name: string; readonly team_name?: string };
  WorktreeCreate: { readonly name: string };
  WorktreeRemove: { readonly worktree_path: string };
}
export type HookEvent = keyof HookPayloads;

export interface Hooks {
  /** Runs what matches, folds the verdicts in configured order. Never throws. Costs nothing when nothing is configured. */
  dispatch<E extends HookEvent>(event: E, payload: HookPayloads[E], at: HookScope): Promise<HookVerdict>;
  /** True when some handler is configured for the event, also in `extra` (`HookScope.extra`): callers may skip building a payload. */
  listens(event: HookEvent, extra?: readonly HookSource[]): boolean;
}

/** The fold of many hooks' verdicts; every field empty means "no opinion". */
export interface HookVerdict {
  /**
   * Exit 2, `decision: block`, a prompt hook's no: the reason for the right reader (conventions 1, event table).
   * Set on PreToolUse and PermissionRequest too, beside `decision: 'deny'`.
   */
  readonly blocked?: string;
  readonly blockedBy?: string;
  /** PreToolUse permissionDecision; PermissionRequest behavior. Deny over ask over allow. */
  readonly decision?: 'allow' | 'deny' | 'ask';
  readonly reason?: string;
  /** Shallow-merged over the original input (ruling 2). */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** For the model. On Stop and SubagentStop context without a block keeps the agent going too (conventions 1). */
  readonly context: readonly string[];
  /** Warnings for the person; the dispatcher has already emitted each as a notice. */
  readonly systemMessages: readonly string[];
  /** `continue: false`: stop everything; the text is for the person. */
  readonly stop?: string;
  readonly updatedOutput?: unknown;
  /** Hooks that could not start, were killed or gave no reply (ruling 21): the call asks, naming them. */
  readonly uncertain?: string;
  readonly permissionUpdates?: readonly unknown[];
  readonly interrupt?: boolean;
  readonly retry?: boolean;
  readonly watchPaths?: readonly string[];
  readonly initialUserMessage?: string;
  readonly sessionTitle?: string;
  readonly worktreePath?: string;
  /** UserPromptSubmit: the prompt itself is not sent, only the context. */
  readonly suppressPrompt?: boolean;
  /** SessionStart: skills are to be read again. */
  readonly reloadSkills?: boolean;
  /** Checked terminal sequences (title, notification, bell) for a front-end that has a terminal. */
  readonly terminalSequences?: readonly string[];
}

export const noVerdict: HookVerdict = { context: [], systemMessages: [] };

export interface HookScope {
  readonly session: SessionState;
  readonly transcriptPath: string;
  /** Root session's transcript when `session` is a child (ruling 18). */
  readonly rootTranscriptPath: string;
  readonly mode: Mode;
  readonly promptId?: string;
  /** Hooks of the agent or skills now active, beside the configured ones. */
  readonly extra?: readonly HookSource[];
  /** True inside the verifier of an agent hook: prompt and agent hooks do not run (ruling 17). */
  readonly verifier?: boolean;
  readonly signal: AbortSignal;
  readonly emit: Emit;
  /** Writes the run into the transcript; `once` is a key to keep as spent where `spend` is absent. */
  record(run: HookRunRecord, once?: string): Promise<void>;
  /** Keeps a `once` key as spent, in the root session's transcript, at the moment its run has started (ruling 25). */
  spend?(key: string): Promise<void>;
  /** What a background hook has to say to the model: goes along with the next turn, wakes nobody. */
  later?(text: string, label: string): Promise<void>;
  /** Puts text into the session's mailbox as a woken hook (asyncRewake). */
  wake(text: string, label: string): Promise<void>;
}

/** The hooks of a program, with what ending it needs. */
export interface HookEngine extends Hooks {
  /** Resolves when no waking hook (`asyncRewake`) of this session tree is running any more; at once when none is. */
  waking(root?: SessionId): Promise<void>;
  /** How many waking hooks are running. */
  pendingWakes(root?: SessionId): number;
  /** Ends background hooks and whatever hooks have left running. */
  close(): Promise<void>;
}

/** Hook configuration from one place, already parsed. */
export interface HookSource {
  readonly source: 'managed' | 'flag' | 'local' | 'project' | 'user' | 'plugin' | 'skill' | 'agent';
  readonly path: string;
  /** True for `.claude` homes and plugins: they see short tool names (ruling 19). */
  readonly foreign: boolean;
  readonly active: boolean;
  readonly pluginRoot?: string;
  readonly groups: readonly HookGroup[];
}
export interface HookGroup {
  readonly event: HookEvent;
  readonly matcher?: string;
  readonly hooks: readonly HookHandler[];
}

interface HookCommon {
  /** Where it stands in its file, for warnings and lists: `hooks.PreToolUse[0].hooks[1]`. */
  readonly place?: string;
  readonly if?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly statusMessage?: string;
  readonly once?: boolean;
  readonly async?: boolean;
  readonly onFailure?: 'block';
}
/** The four types of spec 6.2. */
export type HookHandler =
  | (HookCommon & {
      readonly type: 'command';
      readonly command: string;
      readonly args?: readonly string[];
      readonly shell?: 'bash' | 'powershell';
      readonly asyncRewake?: boolean;
    })
  | (HookCommon & {
      readonly type: 'prompt';
      readonly prompt: string;
      readonly model?: string;
      readonly continueOnBlock?: boolean;
    })
  | (HookCommon & { readonly type: 'agent'; readonly prompt: string; readonly model?: string })
  | (HookCommon & {
      readonly type: 'http';
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly allowedEnvVars?: readonly string[];
    });
