/** A teammate's own process at its team's desk: its questions go to the lead, and what binds the lead binds it. */
import type { Answer } from '../contract/ask.ts';
import type { SessionEvent } from '../contract/event.ts';
import type { AskId, SessionId } from '../contract/ids.ts';
import type { Mode } from '../contract/mode.ts';
import type { BarringRule } from '../contract/state.ts';
import type { Team, TeamStore } from '../contract/team.ts';
import type { Desk } from './desk.ts';
import type { Posted } from './desk-notes.ts';
import { hearSpending, type Spending } from './shared-spending.ts';
import { usedBy } from './used-by.ts';

/** What binds everybody below a lead. */
export interface LeadBinding {
  readonly headless: boolean;
  readonly mode: Mode;
  readonly grants: readonly string[];
  readonly barred: readonly BarringRule[];
  readonly planScope?: readonly string[];
}

export interface MemberDesk {
  /** What the lead said last; it still counts while the lead is away. */
  binding(): LeadBinding | undefined;
  close(): void;
}

export interface MemberDeskDeps {
  readonly desk: Desk;
  readonly teams: TeamStore;
  readonly spending: Spending;
  readonly team: string;
  readonly session: SessionId;
  readonly name: string;
  listen(reader: (event: SessionEvent) => void): () => void;
  answer(ask: AskId, answer: Answer): void;
  /** The team was deleted, or its lead has gone: it ends without a word. */
  dissolved(): void;
  /** Something is being done, or waits to be. */
  busy(): boolean;
  /** How long it waits for a lead when nothing is left to do. */
  readonly patienceMs: number;
}

/** How often it looks whether its team is there, and whether somebody leads it. */
const LOOK_MS = 3_000;

const nobody: Answer = {
  kind: 'none',
  source: 'headless',
  reason:
    'Nobody is there to allow this: the lead ran without a person, and has ended. It needs an allow rule, or a lead with a person.',
};

export const openMemberDesk = async (deps: MemberDeskDeps): Promise<MemberDesk> => {
  const { desk, teams, team, session, name } = deps;
  const asked = new Set<AskId>();
  let binding: LeadBinding | undefined;
  let aloneSince: number | undefined;

  const found = async (): Promise<Team | 'gone' | 'unreadable'> => {
    const { teams: all, problems } = await teams.list();
    return all.find((one) => one.key === team) ?? (problems.length > 0 ? 'unreadable' : 'gone');
  };

  /** Only the process that leads the team now speaks for it. */
  const ofLead = ({ pid, start }: Posted, now: Team | string): boolean =>
    typeof now !== 'string' && now.lease.pid === pid && now.lease.start === start;

  const hear = async (notes: readonly Posted[]): Promise<void> => {
    const now = await found();
    for (const posted of notes) {
      const { note } = posted;
      if (note.type === 'away' && ofLead(posted, now)) deps.dissolved();
      else if (note.type === 'lead' && ofLead(posted, now)) binding = note;
      else if (note.type === 'answered' && asked.has(note.ask) && ofLead(posted, now))
        deps.answer(note.ask, note.answer);
      else if (note.type !== 'budgets' || ofLead(posted, now)) hearSpending(deps.spending, posted);
    }
  };

  const look = async (): Promise<void> => {
    const now = await found();
    if (now === 'gone') return deps.dissolved();
    const alone = now !== 'unreadable' && !teams.isLed(now) && !deps.busy();
    aloneSince = alone ? (aloneSince ?? performance.now()) : undefined;
    // Its lead starts it again when it comes back.
    if (aloneSince !== undefined && performance.now() - aloneSince >= deps.patienceMs)
      return deps.dissolved();
    // A run without a person does not come back to answer; a person may.
    if (now !== 'unreadable' && binding?.headless && !teams.isLed(now))
      for (const ask of [...asked]) deps.answer(ask, nobody);
  };

  await desk.open(team, hear);
  await desk.post({ type: 'began', session });
  const stop = deps.listen((event) => {
    const used = event.type === 'entry' ? usedBy(event.entry) : undefined;
    const agent = event.session === session ? name : event.agent;
    if (used) void desk.post({ type: 'used', session: event.session, agent, ...used });
    if (event.type === 'ask') {
      asked.add(event.ask);
      void desk
        .post({
          type: 'asked',
          ask: event.ask,
          session,
          agent,
          question: event.question,
        })
        .then(look);
    } else if (event.type === 'ask.settled' && asked.delete(event.ask))
      void desk.post({ type: 'settled', ask: event.ask });
  });
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return {
    binding: () => binding,
    close() {
      clearInterval(timer);
      stop();
      desk.close();
    },
  };
};
