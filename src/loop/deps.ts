/** What a session needs of the world; composed in app/. Everything here is a port. */
import type { Answer, Question, RuleDestination } from '../contract/ask.ts';
import type { Level } from '../contract/budget.ts';
import type { DenialSource, Emit, EventBody } from '../contract/event.ts';
import type { HookScope, HookSource, Hooks, HookVerdict } from '../contract/hook.ts';
import type { CallId, SessionId } from '../contract/ids.ts';
import type { TextBlock, UseByModel, UserBlock } from '../contract/message.ts';
import type { Mode } from '../contract/mode.ts';
import type { ModelClient, ModelFacts } from '../contract/model.ts';
import type { Judgement } from '../contract/permission.ts';
import type { AgentIdentity, SessionState } from '../contract/state.ts';
import type { Mail, Mailbox, TranscriptWriter } from '../contract/store.ts';
import type { PreparedCall, Tool } from '../contract/tool.ts';
import type { Effect, Entry, EntryBody } from '../contract/transcript.ts';
import type { Asks } from './asks.ts';
import type { Governor } from './governor.ts';
import type { Limits, Purse } from './purse.ts';

/** One call as the permission engine sees it. */
export interface JudgedCall {
  /** Where the path of a file call led when it was checked. */
  readonly real?: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
}

export interface LoopDeps {
  readonly model: ModelClient;
  readonly hooks: Hooks;
  readonly mailbox: Mailbox;
  readonly asks: Asks;
  emit(
    from: { readonly session: SessionId; readonly parent?: SessionId; readonly agent: string },
    body: EventBody,
  ): void;
  /** Plain data without the credentials in use: applied to all that is recorded or heard from a person. */
  mask?<T extends object>(value: T): T;
  /** The tools this session is offered, in a stable order. */
  tools(state: SessionState): readonly Tool[];
  /** Why a tool that exists is not offered to this session: a sentence for a call to it. */
  withheld?(tool: string, state: SessionState): string | undefined;
  /** Server-side tools of the endpoint (web search), as they are. */
  serverTools?(state: SessionState): readonly Readonly<Record<string, unknown>>[];
  /** The cached prefix: nothing volatile in it. */
  system(state: SessionState): readonly TextBlock[];
  /** Instruction files and environment facts: first blocks of the conversation. Fires InstructionsLoaded where it loads. */
  opening(state: SessionState, reason: 'start' | 'compact', at: HookScope): Promise<readonly TextBlock[]>;
  /** Facts that changed since the model was last told (date, mode, nested instructions): told with the next message. */
  news(state: SessionState, at: HookScope): Promise<readonly string[]>;
  /** Open tasks, running agents and commands: told again after a compaction. */
  ledger(state: SessionState): Promise<readonly string[]>;
  /** Commands and agents that run on in the background, for Stop and SubagentStop hooks. */
  backgroundTasks?(): readonly Readonly<Record<string, unknown>>[];
  /** Hooks of the skills that were run in this session. */
  skillHooks?(state: SessionState): readonly HookSource[];
  facts(model: string): ModelFacts;
  /** US dollars, as far as prices are known. */
  cost(use: UseByModel): number;
  judge(call: JudgedCall, state: SessionState): Judgement;
  /** A child's state as those above it bind it now: the strictest mode, their grants, their plan. The root's own when absent. */
  bound?(state: SessionState): SessionState;
  /** Saves "don't ask again". Session grants are entries; other places are files. */
  remember(
    rules: readonly string[],
    to: Exclude<RuleDestination, 'session'>,
    state: SessionState,
  ): Promise<void>;
  /** What a hook that allowed a call wants changed for later ones: entries to record, and why some of it was left. */
  updatePermissions?(
    updates: readonly unknown[],
    state: SessionState,
  ): Promise<{ readonly entries: readonly EntryBody[]; readonly problems: readonly string[] }>;
  /** Records the files' state before a call that changes something. */
  checkpoint?(
    state: SessionState,
    tool: string,
    call: PreparedCall,
    id: CallId,
  ): Promise<EntryBody | undefined>;
  /** Hooks asked to watch these paths from now on. */
  follow?(paths: readonly string[]): void;
  /** Where a session's plan goes. */
  planFile(state: SessionState): string;
  /** What the model reads of a mail, with what a person's `@` brings along. */
  render(mail: Mail, state: SessionState, signal: AbortSignal): Promise<Rendered>;
  /** The mode that a letter brings with it: the lead's yes to the plan of this session. */
  planAnswer?(mail: Mail, state: SessionState): Mode | undefined;
  /** Shared by all agents of a run; absent: nobody waits for others. */
  readonly governor?: Governor;
  /** What other processes of the team said by now counts from here on: before a request, and before a call is judged. */
  upToDate?(): Promise<void>;
  /** Share of a budget at which to warn, 0 to 1. */
  readonly warnAt?: number;
  /** A transcript of ours, read again: for going back in it. */
  entries?(path: string): Promise<readonly Entry[]>;
  /** What became of a call that the end of the program cut off: a sentence beside the one that says so. */
  cutOff?(call: CallId): Promise<string | undefined>;
  branch(cwd: string): string | undefined;
  exists(path: string): Promise<boolean>;
  now(): Date;
  newId(): string;
  readonly partials: boolean;
  /** Share of this model's window at which to compact, 0 to 1, as settings stand now; undefined: never. */
  autoCompact(model: string): number | undefined;
}

/** A mail as the model reads it, and facts that come with it: files that were seen. */
export interface Rendered {
  readonly content: readonly UserBlock[];
  readonly effects: readonly Effect[];
}

/** How one session opens: the first conversation, a child, a resumed one. */
export interface Opening {
  readonly id: SessionId;
  readonly entry: Extract<EntryBody, { type: 'opened' }>;
  /** Fold of the transcript so far, when resumed. */
  readonly before?: SessionState;
  readonly writer: TranscriptWriter;
  readonly rootTranscriptPath: string;
  /** Mailboxes to read; the first is the session's own. */
  readonly boxes: readonly string[];
  /** No mail is read before this: a child hears its prompt first. */
  readonly ready?: Promise<void>;
  readonly limits: Limits;
  /** An agent parks at its own limits without a question, and they count anew when it goes on. */
  readonly renewing?: boolean;
  /** What it uses up together with others. */
  readonly purses?: readonly Purse[];
  readonly hooks?: readonly HookSource[];
  readonly verifier?: boolean;
  /** Keeps a spent `once` in the root's transcript; the root's own when absent. */
  readonly spend?: (key: string) => Promise<void>;
  /** What answers the end of a reply: Stop for root sessions, SubagentStop for children. */
  readonly ending?: (end: Ending, scope: HookScope) => Promise<HookVerdict>;
  readonly session: { readonly root: boolean };
  /** Runs before SessionStart (Setup); answers context for the model. */
  readonly prelude?: (scope: HookScope) => Promise<readonly string[]>;
  /** Ends the turn when the model calls this tool (structured output). */
  readonly endsWith?: string;
}

export interface Ending {
  readonly text: string;
  readonly active: boolean;
}

/** A reply that ended because something was used up. */
export interface Parked {
  readonly stop: 'max_turns' | 'budget' | 'interrupted';
  readonly text: string;
  readonly error: string;
  readonly fresh?: boolean;
}

export interface Budget {
  /** A reply begins: turns are counted for each. */
  begin(): void;
  /** Counts what was used since it was last called. */
  account(state: SessionState): void;
  /** The model answered one request. */
  answered(): void;
  /** Its own limits. */
  levels(): readonly Level[];
  /** Why no further request may start; the person is asked first where somebody is there. */
  parked(here: Here, signal: AbortSignal): Promise<Parked | undefined>;
}

/** What the parts of the loop share of one session. */
export interface Here {
  readonly deps: LoopDeps;
  readonly opening: Opening;
  readonly budget: Budget;
  state(): SessionState;
  record(body: EntryBody, sync?: 'sync'): Promise<void>;
  readonly emit: Emit;
  scope(signal: AbortSignal): HookScope;
  /** SessionStart hooks, for root sessions: what they want the model to know. */
  started(source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork'): Promise<readonly string[]>;
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Calls back when the person sends running calls to the background; answers the way to stop listening. */
  backgrounded(away: () => void): () => void;
  /** Mail up to this place is being taken in: nobody can take it back any more. */
  claim(box: string, place: number): void;
}

export interface Denied {
  readonly text: string;
  readonly source: DenialSource;
  readonly interrupt: boolean;
}

export const nameOf = (agent: AgentIdentity): string => agent.name ?? agent.type;
