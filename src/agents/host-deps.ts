/** What the host of sub-agents needs of the world; composed in app/. */
import type { AgentDefinition, AgentResult, SpawnRequest } from '../contract/agent.ts';
import type { EventBody } from '../contract/event.ts';
import type { Hooks } from '../contract/hook.ts';
import type { CallId, SessionId } from '../contract/ids.ts';
import type { Mode } from '../contract/mode.ts';
import type { Effort } from '../contract/model.ts';
import type { SessionState } from '../contract/state.ts';
import type { Mailbox, StoreFailed } from '../contract/store.ts';
import type { TaskEvents, TaskStore } from '../contract/task.ts';
import type { Team, TeamMember, TeamStore } from '../contract/team.ts';
import type { Opening } from '../loop/deps.ts';
import type { Conversation } from '../loop/session.ts';
import type { Derived } from './derive.ts';

export interface HostDeps {
  /** Opens a child's conversation over its own transcript; the composition gives it its tools and prompt. */
  open(child: ChildOpening): Promise<Conversation>;
  /** What a stopped or finished child left on disk, for continuing it. */
  revive(id: SessionId, parent: SessionState): Promise<Revived | undefined>;
  definitions(): readonly AgentDefinition[];
  /** Who checks for hooks of type agent. */
  readonly verifier: AgentDefinition;
  /** The model id for a child, or a sentence that says which names are known. */
  modelFor(
    request: SpawnRequest,
    definition: AgentDefinition,
  ): { readonly id: string } | { readonly refused: string };
  /** Place of work: worktree, override or the parent's. */
  place(
    request: SpawnRequest,
    definition: AgentDefinition,
    id: SessionId,
  ): Promise<Place | { readonly refused: string }>;
  /** Where an earlier agent goes on: its worktree, made again where it was removed; undefined: where it was. */
  placeAgain?(state: SessionState): Promise<Place | { readonly refused: string } | undefined>;
  readonly hooks: Hooks;
  readonly mailbox: Mailbox;
  /** Absolute path of the file that will hold the child's final text. */
  output(id: SessionId, parent: SessionState): Promise<string>;
  /** A sentence with the path where the disk refuses. */
  writeOutput(path: string, text: string): Promise<StoreFailed | undefined>;
  emit(
    from: { readonly session: SessionId; readonly parent?: SessionId; readonly agent: string },
    body: EventBody,
  ): void;
  /** Tells the parent, once, that a background child ended. */
  notify(parent: SessionId, notice: Notice): Promise<void>;
  /** Records a fact in the parent's transcript. */
  tell(
    parent: SessionId,
    body: {
      readonly type: 'background';
      readonly id: string;
      readonly kind: 'agent';
      readonly label: string;
      readonly status: 'running' | 'completed' | 'failed' | 'stopped';
      readonly output: string;
      readonly call?: string;
      readonly name?: string;
      readonly child: SessionId;
      readonly run: string;
    },
  ): Promise<void>;
  /** Teams and task lists; absent where there are none. */
  readonly team?: TeamDeps;
  /** What runs in the background as hooks are told it, this agent itself left out. */
  backgroundTasks?(without: SessionId): readonly Readonly<Record<string, unknown>>[];
  newId(): string;
  depthOf(state: SessionState): number;
  limits(): { readonly depth: number; readonly running: number };
  /** The program ends: whoever resumes tells of what was cut off. */
  closing(): boolean;
}

/** Where an agent works. */
export interface Place {
  readonly cwd: string;
  readonly checkout: string;
  /** What the agent should know of it before it begins. */
  readonly facts?: readonly string[];
  /** It works there no more: what becomes of a worktree. */
  leave(): Promise<AgentResult['worktree']>;
  /** Another process takes it over, with the duty to leave it. */
  handOver?(): Promise<void>;
}

export interface TeamDeps {
  readonly teams: TeamStore;
  readonly tasks: TaskStore;
  readonly events: TaskEvents;
  /** The main conversation: the lead, where there is a team. */
  lead(): Conversation;
  /** A session that has no seat here agreed to its shutdown: a teammate's own process. */
  left?(session: SessionId): void;
  /** Where a member's transcript lies. */
  transcript?(session: SessionId, root?: SessionId): string;
  readonly processes?: TeammateProcesses;
  readonly link?: TeamLink;
}

/** How the processes of one team hear of each other. */
export interface TeamLink {
  /** The lead has members in other processes: from now on it hears them and tells them what binds them. */
  attend(team: string): Promise<void>;
  /** A member's process is gone. */
  gone(session: SessionId): void;
  /** The team is deleted. */
  leave(): void;
  /** Tells the processes of the team that the lead ends, and they with it. */
  away(): Promise<void>;
  /** Asks the lead's process to let a member go on. */
  wake(member: string): Promise<void>;
}

/** What a teammate's process begins with. */
export interface ProcessOpening {
  readonly mode: Mode;
  readonly effort?: Effort;
  readonly directories: readonly string[];
}

export interface StartedProcess {
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  end(): void;
}

/** Teammates as processes of their own, which outlive their lead. */
export interface TeammateProcesses {
  /** Whether new teammates are started so. */
  wanted(): boolean;
  start(
    team: Team,
    member: TeamMember,
    opening: ProcessOpening,
  ): Promise<StartedProcess | { readonly refused: string }>;
  /** A process that an earlier run of the lead started. */
  attach(member: TeamMember): StartedProcess;
  /** Asks a process to end, and makes it end after a while. */
  end(member: TeamMember): Promise<void>;
  /** The same for one that was told to end: it is given time to do so by itself. */
  rest(member: TeamMember): Promise<void>;
}

export interface ChildOpening {
  readonly derived: Derived;
  readonly entry: Opening['entry'];
  readonly before?: SessionState;
  readonly ending: NonNullable<Opening['ending']>;
  /** Resolves when its prompt lies in its mailbox. */
  readonly ready: Promise<void>;
}
export interface Revived {
  readonly id: SessionId;
  readonly state: SessionState;
  readonly label: string;
  readonly depth: number;
  readonly toolCalls: number;
}
export interface Notice {
  readonly id: SessionId;
  readonly run: string;
  readonly label: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly output: string;
  readonly call?: CallId;
  readonly text: string;
}
