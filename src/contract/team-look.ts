/** A team as a person sees it: who is there, what each does, which letters came how far. */
import type { SessionId } from './ids.ts';
import type { Task } from './task.ts';
import {
  inboxKey,
  LEAD,
  type MemberState,
  type Receipt,
  type Team,
  type TeamEvent,
  type TeamMember,
} from './team.ts';

/** How far a letter came (ruling 40). */
export type Delivery = 'stored' | 'delivered' | 'read';

export interface MemberLook {
  readonly name: string;
  readonly type?: string;
  readonly color?: string;
  readonly session: SessionId;
  readonly cwd: string;
  /** Of one in a process of its own nothing is heard but what it stores. */
  readonly backend: TeamMember['backendType'];
  /** `parked`: a budget is used up; `gone`: the lead's process has ended. */
  readonly state: 'lead' | 'gone' | 'parked' | MemberState;
  /** Why it is parked or has failed. */
  readonly why?: string;
  readonly running: boolean;
  /** What it works on. */
  readonly tasks: readonly Pick<Task, 'id' | 'subject' | 'activeForm'>[];
  /** When it began with the last of them, epoch milliseconds. */
  readonly since?: number;
  /** Letters that its model has not been given. */
  readonly unread: number;
  /** As budgets count them; absent where they are not known. */
  readonly tokens?: number;
}

export interface LetterLook {
  /** ISO 8601. */
  readonly time: string;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly about: string;
  readonly state: Delivery;
}

export interface TeamLook {
  readonly name: string;
  readonly description?: string;
  /** The lead first, then by the time they joined. */
  readonly members: readonly MemberLook[];
  /** Oldest first. */
  readonly letters: readonly LetterLook[];
}

export interface TeamFacts {
  readonly team: Team;
  readonly tasks: readonly Task[];
  readonly events: readonly TeamEvent[];
  readonly receipts: Readonly<Record<string, Receipt>>;
  readonly running: ReadonlySet<SessionId>;
  readonly tokens: ReadonlyMap<SessionId, number>;
}

/** Delivered is in the reader's transcript, read in a request that got an answer. */
export const deliveryOf = (place: number, receipt: Receipt | undefined): Delivery => {
  if (!receipt || place > receipt.delivered) return 'stored';
  return place > receipt.read ? 'delivered' : 'read';
};

/** Letters to a member that its model has not been given. */
export const unreadOf = (
  name: string,
  { events, receipts }: Pick<TeamFacts, 'events' | 'receipts'>,
): number => {
  const key = inboxKey(name);
  return events.filter(
    (event) =>
      event.type === 'message' &&
      inboxKey(String(event.to)) === key &&
      deliveryOf(Number(event.place), receipts[key]) === 'stored',
  ).length;
};

export const teamLook = (facts: TeamFacts): TeamLook => {
  const { team, tasks, running, tokens } = facts;
  const letters = lettersOf(facts);
  return {
    name: team.name,
    ...(team.description ? { description: team.description } : {}),
    letters,
    members: team.members.map((member) => {
      const used = tokens.get(member.session);
      const own = tasks.filter(({ status, owner }) => status === 'in_progress' && owner === member.name);
      const begun = own.flatMap(({ lease }) => (lease ? Date.parse(lease.since) : []));
      return {
        name: member.name,
        ...(member.agentType ? { type: member.agentType } : {}),
        ...(member.color ? { color: member.color } : {}),
        session: member.session,
        cwd: member.cwd,
        backend: member.backendType,
        ...standing(member, running.has(member.session)),
        running: running.has(member.session),
        tasks: own.map(({ id, subject, activeForm }) => ({
          id,
          subject,
          ...(activeForm ? { activeForm } : {}),
        })),
        ...(begun.length > 0 ? { since: Math.max(...begun) } : {}),
        unread: unreadOf(member.name, facts),
        ...(used === undefined ? {} : { tokens: used }),
      };
    }),
  };
};

const PARKED = 'Parked: ';

const standing = (
  { name, state, error }: Team['members'][number],
  running: boolean,
): Pick<MemberLook, 'state' | 'why'> => {
  if (name === LEAD) return { state: running ? 'lead' : 'gone' };
  if (error?.startsWith(PARKED)) return { state: 'parked', why: error.slice(PARKED.length) };
  return { state, ...(error ? { why: error } : {}) };
};

const lettersOf = ({ events, receipts }: TeamFacts): readonly LetterLook[] =>
  events.flatMap((event) =>
    event.type === 'message'
      ? [
          {
            time: event.time,
            id: String(event.id),
            from: String(event.from),
            to: String(event.to),
            about: String(event.summary ?? String(event.protocol ?? '').replaceAll('_', ' ')),
            state: deliveryOf(Number(event.place), receipts[inboxKey(String(event.to))]),
          },
        ]
      : [],
  );
