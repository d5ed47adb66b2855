import type { SessionId } from './ids.ts';
import type { Message, Usage, UseByModel, UserBlock } from './message.ts';
import type { Mode } from './mode.ts';
import type { Effort } from './model.ts';

/** Who a session is. The main conversation is type `main`. */
export interface AgentIdentity {
  /** The id hooks see as `agent_id`; the session id of a child, absent for the main conversation. */
  readonly id?: string;
  readonly type: string;
  readonly name?: string;
  readonly color?: string;
}

/** What was on disk when the model last saw a file; content identity, not times (F09). */
export interface SeenFile {
  readonly hash: string;
  readonly mtimeMs: number;
  readonly size: number;
}

export interface WorktreeRef {
  readonly name: string;
  readonly path: string;
  readonly branch?: string;
  /** Where ExitWorktreeTool returns to. */
  readonly originalCwd: string;
  /** The checkout before; the project where absent. */
  readonly originalCheckout?: string;
  /** A WorktreeCreate hook made it: git has no hand in its end. */
  readonly byHook?: boolean;
}

/** The fold of a transcript's entries. Changes only in `loop/state.ts` apply(). */
export interface SessionState {
  readonly id: SessionId;
  /** The root session of the tree (itself for the main conversation). */
  readonly root: SessionId;
  readonly parent?: SessionId;
  readonly agent: AgentIdentity;
  readonly title?: string;
  /** Model id as sent. */
  readonly model: string;
  readonly effort?: Effort;
  /** Thinking budget in tokens; 0 is off. */
  readonly thinkingTokens: number;
  /** Where Bash and relative paths start; moves with `cd`. */
  readonly cwd: string;
  /** Nearest ancestor with `.git`, else the start directory (rulings, head). Does not move. */
  readonly project: string;
  /** Checkout the session works in: the project, or the worktree it entered. */
  readonly checkout: string;
  /** Extra working directories (`--add-dir`, `/add-dir`). */
  readonly directories: readonly string[];
  readonly mode: Mode;
  /** The mode to return to when plan mode ends. */
  readonly modeBeforePlan?: Mode;
  readonly planFile?: string;
  /** Files an approved plan named; absent: no plan was approved. */
  readonly planScope?: readonly string[];
  /** Its plan waits for the lead's answer under this id. */
  readonly planRequest?: string;
  readonly taskList: string;
  readonly team?: string;
  readonly worktree?: WorktreeRef;
  /** Places reached in mailboxes, by mailbox name: everything up to it is in `messages`. */
  readonly mailRead: Readonly<Record<string, number>>;
  readonly seen: Readonly<Record<string, SeenFile>>;
  /** The conversation since the last compaction: what the next request carries. */
  readonly messages: readonly Message[];
  /** The last request as it was given: kept verbatim by compaction. */
  readonly prompt?: readonly UserBlock[];
  /** Notices of ended background work that no reply has followed yet: kept verbatim too. */
  readonly notices?: readonly UserBlock[];
  /** Uuid of the last entry (transcript tree). */
  readonly last?: string;
  readonly turns: number;
  readonly usage: Usage;
  /** Usage per model id, for cost. */
  readonly usageByModel: UseByModel;
  /** The same of all agents under it; in the root conversation alone. */
  readonly usageBelow?: UseByModel;
  /** What of it the team used that it leads now. */
  readonly usageOfTeam?: UseByModel;
  /** Context tokens of the last request (input, cache and output). */
  readonly contextTokens: number;
  /** Keys of hooks with `once` that have run (ruling 25). */
  readonly onceDone: readonly string[];
  /** Allow rules granted for this session only; not restored on resume. */
  readonly grants: readonly string[];
  /** Deny and ask rules of this session only; not restored on resume. */
  readonly barred?: readonly BarringRule[];
  /** Skills that were run, the last use of each, the newest last. */
  readonly skills?: readonly UsedSkill[];
  /** What the skills run since the person's last message allow and change. */
  readonly inForce?: InForce;
}

export interface BarringRule {
  readonly behavior: 'deny' | 'ask';
  readonly rule: string;
}

export interface UsedSkill {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export interface InForce {
  /** Allow rules as written. */
  readonly allow: readonly string[];
  /** Tools taken away. */
  readonly deny: readonly string[];
  readonly model?: string;
  readonly effort?: Effort;
  /** Begins with the person's next message instead of ending with it. */
  readonly ahead: boolean;
}
