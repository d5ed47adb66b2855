import type { SessionId } from './ids.ts';
import type { Mode } from './mode.ts';
import type { SessionState } from './state.ts';
import type { StoreFailed } from './store.ts';

/** The lead's name in every team; `lead` and `main` are understood too (conventions 5). */
export const LEAD = 'team-lead';
const leadAliases: ReadonlySet<string> = new Set([LEAD, 'lead', 'main']);

/** Names nobody can take (ruling 32). What the person says stands in the log of a team as said by `user`. */
export const isReservedName = (name: string): boolean =>
  name === '*' || spelling(name) === 'user' || leadAliases.has(spelling(name));
/** `lead` and `Main` are `team-lead`; every other name stays itself. */
export const memberName = (name: string): string => (leadAliases.has(spelling(name)) ? LEAD : name);

/** What two spellings of one name have in common: upper and lower case, composed and wide letters, blanks and dashes. */
const spelling = (name: string): string => name.normalize('NFKC').toLowerCase().trim().replaceAll(' ', '-');

/** Two spellings of one name are one name: it has one inbox. */
export const sameName = (a: string, b: string): boolean => spelling(a) === spelling(b);

const MOST_BYTES = 200;

/** A sentence when a name of a team or an agent cannot be one; it becomes part of a path and of a command line. */
export const nameProblem = (what: 'team' | 'agent', name: string): string | undefined => {
  if (name.trim() === '') return `The ${what} needs a name.`;
  // Letters of four bytes make a file name of 64 of them too long.
  if (new TextEncoder().encode(name).length > MOST_BYTES && name.length <= 64)
    return `The name of the ${what} is too long as a file name. Choose a shorter one.`;
  if (name.length > 64)
    return `The name of the ${what} is ${name.length} characters long; 64 is the most. Choose a shorter one.`;
  return /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._-]*$/u.test(name) && !name.includes('..') && name.trim() === name
    ? undefined
    : `"${name}" cannot be the name of ${what === 'team' ? 'a team' : 'an agent'}: use letters, digits, ".", "_" and "-", beginning with a letter or digit.`;
};

/** Of the problems that a listing of teams names, the one of this team's file or folder. */
export const problemOf = (problems: readonly string[], key: string): string | undefined =>
  problems.find((problem) =>
    problem
      .split(' ')
      .some((word) => word.replace(/[:,]$/, '').endsWith(`/teams/${key}`) || word.includes(`/teams/${key}/`)),
  );

/** Where mail to a member lies: a box of the `Mailbox` port. */
export const inboxOf = (team: string, member: string): string => `teams/${team}/inboxes/${inboxKey(member)}`;
/** A member's name as its inbox and its receipts carry it. */
export const inboxKey = (member: string): string => member.normalize('NFC').replaceAll(' ', '-');

/** The inbox a session reads beside its own box; undefined without a team, and for children without a name. */
export const inboxOfSession = (state: SessionState): string | undefined => {
  if (state.team === undefined) return undefined;
  const name = memberNameOf(state);
  return name === undefined ? undefined : inboxOf(state.team, name);
};
/** What a session is called in its team: a root session without a name is the lead. */
export const memberNameOf = (state: Pick<SessionState, 'agent' | 'parent'>): string | undefined =>
  state.agent.name === undefined
    ? state.parent === undefined
      ? LEAD
      : undefined
    : state.parent === undefined
      ? memberName(state.agent.name)
      : state.agent.name;

export type MemberState = 'working' | 'idle' | 'failed' | 'stopped' | 'ended';

/** A process, told apart from a later one with the same number. */
export interface ProcessStamp {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  readonly host: string;
}

/** A member as the team file keeps it (conventions 5), and what we need to find it again. */
export interface TeamMember {
  /** `<name>@<team>`. */
  readonly agentId: string;
  readonly name: string;
  readonly agentType?: string;
  readonly model?: string;
  readonly prompt?: string;
  readonly color?: string;
  readonly planModeRequired?: boolean;
  /** Epoch milliseconds. */
  readonly joinedAt: number;
  readonly tmuxPaneId: string;
  readonly cwd: string;
  /** The checkout it works in, where it is not the project: its worktree. */
  readonly checkout?: string;
  readonly subscriptions: readonly string[];
  readonly backendType: 'in-process' | 'process';
  readonly isActive: boolean;
  readonly session: SessionId;
  readonly state: MemberState;
  /** Absolute path of its transcript. */
  readonly transcript?: string;
  /** The process it runs in. */
  readonly runs?: ProcessStamp;
  readonly error?: string;
  /** Tasks that went back to the list when it was stopped: it is told what became of them. */
  readonly lost?: readonly string[];
  /** The conversation that started it, beside which its transcript lies. */
  readonly startedBy?: SessionId;
}

export interface Team {
  /** As it was given. */
  readonly name: string;
  /** Its folder, its inboxes and its task list are called so. */
  readonly key: string;
  readonly description?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** `team-lead@<team>`. */
  readonly leadAgentId: string;
  readonly leadSessionId: SessionId;
  readonly members: readonly TeamMember[];
  readonly project: string;
  readonly taskList: string;
  /** The list its lead had before, and has again afterwards. */
  readonly leadTaskList?: string;
  readonly version: number;
  /** The lead's process: a team whose lead is dead can be adopted or deleted. */
  readonly lease: ProcessStamp & { readonly since: string };
}

/** What was not done, in a sentence. */
export interface TeamRefusal {
  readonly refused: string;
}

/** Who wants a team gone. */
export interface TeamDropper {
  readonly session?: SessionId;
  readonly force: boolean;
}

export interface TeamLead {
  readonly session: SessionId;
  readonly project: string;
  readonly cwd: string;
  readonly model?: string;
  readonly agentType?: string;
  readonly transcript?: string;
  /** The list it has now. */
  readonly taskList?: string;
}

/** How far a member has come in its inbox (ruling 40): places. */
export interface Receipt {
  /** Up to here mail stands in its transcript. */
  readonly delivered: number;
  /** Up to here mail was in a request that got an answer. */
  readonly read: number;
}

/** One thing that happened in a team, for the flight recorder. */
export interface TeamEvent {
  /** ISO 8601. */
  readonly time: string;
  readonly agent: string;
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Teams on disk or in memory. Whole verbs; nothing rejects. */
export interface TeamStore {
  /** Refused while this lead leads a team (spec 7.3) and when a team of this name exists. The task list is fresh. */
  create(wish: {
    readonly name: string;
    readonly description?: string;
    readonly lead: TeamLead;
  }): Promise<Team | TeamRefusal | StoreFailed>;
  ledBy(session: SessionId): Promise<Team | undefined>;
  /** By name or key, in any spelling. The refusal names the teams there are. */
  get(name: string): Promise<Team | TeamRefusal | StoreFailed>;
  list(): Promise<{ readonly teams: readonly Team[]; readonly problems: readonly string[] }>;
  /** Adds a member, or takes the place of one that is not running. Answers its inbox and from where to read it. */
  join(
    team: string,
    member: Omit<TeamMember, 'agentId' | 'joinedAt' | 'subscriptions' | 'tmuxPaneId' | 'isActive' | 'runs'>,
  ): Promise<
    { readonly team: Team; readonly inbox: string; readonly from: number } | TeamRefusal | StoreFailed
  >;
  /** Changes a member's state; `ended` keeps it in the file so that its name is known to be dead. */
  note(
    team: string,
    name: string,
    change: {
      readonly state: MemberState;
      readonly error?: string;
      readonly lost?: readonly string[];
    },
  ): Promise<Team | TeamRefusal | StoreFailed>;
  /** Refused while members work, naming them; `force` cancels what is in progress and goes on. Removes file, inboxes and task list. */
  drop(team: string, by: TeamDropper): Promise<Team | TeamRefusal | StoreFailed>;
  /** Why a team cannot be dropped by them now; undefined when it can. */
  held(team: Team, by: TeamDropper): string | undefined;
  /** Makes this session the lead: of its own team after a restart, or of one whose lead is dead. */
  adopt(team: string, lead: TeamLead): Promise<Team | TeamRefusal | StoreFailed>;
  /** True while the lead's process lives. */
  isLed(team: Team): boolean;
  /** True while the process that this member runs in lives and it is not over. */
  isRunning(member: TeamMember): boolean;
  /** True when it runs in this process. */
  isMine(member: TeamMember): boolean;
  receive(team: string, member: string, receipt: Partial<Receipt>): Promise<void>;
  receipts(team: string): Promise<Readonly<Record<string, Receipt>>>;
  /** Calls after changes of anything that is kept of a team; answers the way to stop. */
  watch(team: string, tell: () => void): () => void;
  /** Appends to the team's own log. */
  record(team: string, event: TeamEvent): Promise<void>;
  events(team: string): Promise<readonly TeamEvent[]>;
}

/** Structured messages as they lie in an inbox (conventions 5). */
export type Protocol =
  | {
      readonly type: 'shutdown_request';
      readonly requestId: string;
      readonly from: string;
      readonly reason?: string;
      readonly timestamp: string;
    }
  | {
      readonly type: 'shutdown_approved';
      readonly requestId: string;
      readonly from: string;
      readonly backendType: string;
      readonly timestamp: string;
    }
  | {
      readonly type: 'shutdown_rejected';
      readonly requestId: string;
      readonly from: string;
      readonly reason: string;
      readonly timestamp: string;
    }
  | {
      readonly type: 'teammate_terminated';
      readonly from: string;
      readonly message: string;
      readonly timestamp: string;
    }
  | {
      readonly type: 'plan_approval_request';
      readonly requestId: string;
      readonly from: string;
      readonly planFilePath: string;
      readonly planContent: string;
      readonly timestamp: string;
    }
  | {
      readonly type: 'plan_approval_response';
      readonly requestId: string;
      readonly approved: boolean;
      readonly feedback?: string;
      readonly permissionMode?: Mode;
      readonly timestamp: string;
    }
  | {
      readonly type: 'idle_notification';
      readonly from: string;
      readonly timestamp: string;
      readonly idleReason: 'available' | 'interrupted' | 'failed';
      readonly summary?: string;
      readonly failureReason?: string;
    };

/** What the team tools ask of the running program. */
export interface TeamLife {
  /** The teammate said yes to its shutdown: it ends after its current call. */
  leave(session: SessionId): Promise<void>;
  /** Mail waits for a member that does not run: it goes on. A sentence when it cannot. */
  wake(team: Team, member: TeamMember): Promise<string | undefined>;
  /** The team is about to be deleted: its members end, without a word to anybody. */
  dissolve(team: Team): Promise<void>;
  /** Running children of a lead follow it to another list. */
  follow(lead: SessionId, to: { readonly team: string | null; readonly taskList: string }): Promise<void>;
}
