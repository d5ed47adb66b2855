/**
 * The one table of what is special about each lifecycle event (spec 6.1, conventions 1). Matching, reading replies,
 * the list for people and the table of the README all come from here.
 */
import type { HookEvent } from '../contract/hook.ts';

export type Actor = 'main' | 'sub-agent' | 'forked skill' | 'teammate' | 'worktree agent';

export interface EventFacts {
  readonly fires: string;
  /** The input field that `matcher` is compared with. Absent: a matcher on this event is ignored. */
  readonly matches?: string;
  /** Values that field takes, where they are few. */
  readonly values?: readonly string[];
  /** A tool event: `if` is judged. On all others a handler with `if` never runs. */
  readonly tool?: true;
  /** What exit 2, `decision: "block"` and a model's no do. Absent: the text is shown to the person, nothing is stopped. */
  readonly block?: string;
  /** Where context goes; `plain` takes stdout that is not JSON as context too. */
  readonly context?: 'json' | 'plain';
  /** Further fields of the JSON reply that count. */
  readonly honours?: readonly string[];
  /** Its command hooks get a file whose `export` lines later shell commands read. */
  readonly envFile?: true;
  /** Seconds, where the event's default for command and http hooks is not 600. */
  readonly timeout?: number;
  /** Field values for a trial run that gives none. */
  readonly sample: Readonly<Record<string, unknown>>;
  readonly actors: readonly Actor[];
}

const everyone: readonly Actor[] = ['main', 'sub-agent', 'forked skill', 'teammate', 'worktree agent'];
const children: readonly Actor[] = ['sub-agent', 'forked skill', 'teammate', 'worktree agent'];
const mainOnly: readonly Actor[] = ['main'];

const call = { tool_name: 'Bash', tool_input: { command: 'true' }, tool_use_id: 'toolu_trial' };
const ending = {
  stop_hook_active: false,
  last_assistant_message: '',
  background_tasks: [],
  session_crons: [],
};
const child = { agent_id: 'trial', agent_type: 'general-purpose' };
const task = { task_id: '1', task_subject: 'Trial' };

export const eventFacts: Readonly<Record<HookEvent, EventFacts>> = {
  PreToolUse: {
    fires: 'Before a tool is invoked',
    matches: 'tool_name',
    tool: true,
    block: 'the call is denied; the model reads the reason',
    context: 'json',
    honours: ['permissionDecision', 'permissionDecisionReason', 'updatedInput'],
    sample: call,
    actors: everyone,
  },
  PostToolUse: {
    fires: 'After a tool returns successfully',
    matches: 'tool_name',
    tool: true,
    block: 'the model reads the reason beside the result',
    context: 'json',
    honours: ['updatedToolOutput', 'updatedMCPToolOutput'],
    sample: {
      ...call,
      tool_response: { stdout: '', stderr: '', interrupted: false, isImage: false },
      duration_ms: 1,
    },
    actors: everyone,
  },
  PostToolUseFailure: {
    fires: 'After a tool returns an error',
    matches: 'tool_name',
    tool: true,
    block: 'the model reads the reason beside the error',
    context: 'json',
    sample: { ...call, error: 'Exit code 1', duration_ms: 1 },
    actors: everyone,
  },
  Notification: {
    fires: 'When a desktop notification is sent',
    matches: 'notification_type',
    values: ['permission_prompt', 'idle_prompt', 'auth_success', 'agent_needs_input', 'agent_completed'],
    sample: { message: 'Trial', notification_type: 'idle_prompt' },
    actors: everyone,
  },
  UserPromptSubmit: {
    fires: 'When the user submits a message',
    block: 'the prompt is refused; the person reads the reason',
    context: 'plain',
    honours: ['sessionTitle', 'suppressOriginalPrompt'],
    timeout: 30,
    sample: { prompt: 'Trial' },
    actors: mainOnly,
  },
  UserPromptExpansion: {
    fires: 'When a typed command becomes a prompt',
    matches: 'command_name',
    block: 'the command is refused; the person reads the reason',
    context: 'plain',
    sample: {
      expansion_type: 'slash_command',
      command_name: 'trial',
      command_args: '',
      command_source: 'user',
      prompt: '/trial',
    },
    actors: mainOnly,
  },
  SessionStart: {
    fires: 'At the start of a new session',
    matches: 'source',
    values: ['startup', 'resume', 'clear', 'compact', 'fork'],
    context: 'plain',
    honours: ['initialUserMessage', 'sessionTitle', 'watchPaths', 'reloadSkills'],
    envFile: true,
    sample: { source: 'startup', model: 'trial' },
    actors: mainOnly,
  },
  SessionEnd: {
    fires: 'When the session ends',
    matches: 'reason',
    values: ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'],
    sample: { reason: 'other' },
    actors: mainOnly,
  },
  Stop: {
    fires: 'When the agent finishes its response',
    block: 'the agent goes on with the reason as its next instruction',
    context: 'json',
    sample: ending,
    actors: mainOnly,
  },
  StopFailure: {
    fires: 'When the agent stops due to an error',
    matches: 'error',
    values: [
      'rate_limit',
      'overloaded',
      'authentication_failed',
      'billing_error',
      'invalid_request',
      'model_not_found',
      'server_error',
      'max_output_tokens',
      'unknown',
    ],
    sample: { error: 'unknown', last_assistant_message: 'Trial' },
    actors: everyone,
  },
  SubagentStart: {
    fires: 'When a sub-agent is spawned',
    matches: 'agent_type',
    context: 'json',
    sample: child,
    actors: children,
  },
  SubagentStop: {
    fires: 'When a sub-agent finishes',
    matches: 'agent_type',
    block: 'the sub-agent goes on with the reason as its next instruction',
    context: 'json',
    sample: { ...child, ...ending, agent_transcript_path: '' },
    actors: children,
  },
  PreCompact: {
    fires: 'Before context compaction',
    matches: 'trigger',
    values: ['manual', 'auto'],
    block: 'nothing is compacted',
    sample: { trigger: 'manual', custom_instructions: '' },
    actors: everyone,
  },
  PostCompact: {
    fires: 'After context compaction',
    matches: 'trigger',
    values: ['manual', 'auto'],
    sample: { trigger: 'manual', compact_summary: 'Trial' },
    actors: everyone,
  },
  PermissionRequest: {
    fires: 'When a permission check is triggered',
    matches: 'tool_name',
    tool: true,
    honours: [
      'decision.behavior',
      'decision.updatedInput',
      'decision.updatedPermissions',
      'decision.interrupt',
    ],
    sample: { tool_name: call.tool_name, tool_input: call.tool_input, permission_suggestions: [] },
    actors: everyone,
  },
  PermissionDenied: {
    fires: 'When a permission is denied',
    matches: 'tool_name',
    tool: true,
    honours: ['retry'],
    sample: { ...call, reason: 'Trial', source: 'rule' },
    actors: everyone,
  },
  Setup: {
    fires: 'On the `init` or `maintenance` trigger',
    matches: 'trigger',
    values: ['init', 'maintenance'],
    context: 'json',
    envFile: true,
    sample: { trigger: 'init' },
    actors: mainOnly,
  },
  ConfigChange: {
    fires: 'When settings change on disk',
    matches: 'source',
    values: ['user_settings', 'project_settings', 'local_settings', 'policy_settings', 'skills'],
    block: 'the change is not applied (managed settings always are)',
    sample: { source: 'project_settings' },
    actors: mainOnly,
  },
  InstructionsLoaded: {
    fires: 'When an agent-instructions file is loaded',
    matches: 'load_reason',
    values: ['session_start', 'nested_traversal', 'path_glob_match', 'include', 'compact'],
    sample: { file_path: 'AGENTS.md', memory_type: 'Project', load_reason: 'session_start' },
    actors: everyone,
  },
  CwdChanged: {
    fires: 'When the working directory changes',
    honours: ['watchPaths'],
    envFile: true,
    sample: { old_cwd: '/', new_cwd: '/' },
    actors: everyone,
  },
  FileChanged: {
    fires: 'When a watched file changes',
    matches: 'file_path',
    honours: ['watchPaths'],
    envFile: true,
    sample: { file_path: '.env', event: 'change' },
    actors: mainOnly,
  },
  TaskCreated: {
    fires: 'When a task is created',
    block: 'the task is taken back; the model reads the reason',
    sample: task,
    actors: everyone,
  },
  TaskCompleted: {
    fires: 'When a task is completed',
    block: 'the task stays open; the model reads the reason',
    sample: task,
    actors: everyone,
  },
  TeammateIdle: {
    fires: 'When a teammate runs out of work',
    block: 'the teammate goes on with the reason as its next instruction',
    sample: { teammate_name: 'trial' },
    actors: ['teammate'],
  },
  WorktreeCreate: {
    fires: 'When a worktree is made',
    block: 'no worktree is made',
    honours: ['worktreePath'],
    sample: { name: 'trial' },
    actors: everyone,
  },
  WorktreeRemove: {
    fires: 'When a worktree is removed',
    sample: { worktree_path: '/' },
    actors: everyone,
  },
};

export const isHookEvent = (name: string): name is HookEvent => Object.hasOwn(eventFacts, name);

export const hookEvents: readonly HookEvent[] = Object.keys(eventFacts).filter(isHookEvent);

/** Events that other tools fire and this one does not: known, so that a warning can say so. */
export const foreignEvents: readonly string[] = [
  'PostToolBatch',
  'MessageDisplay',
  'DirectoryAdded',
  'Elicitation',
  'ElicitationResult',
];

/** Whether a block counts for this very input: a change of managed settings cannot be refused. */
export const canBlock = (event: HookEvent, payload: Readonly<Record<string, unknown>>): boolean =>
  eventFacts[event].block !== undefined &&
  !(event === 'ConfigChange' && payload.source === 'policy_settings');
