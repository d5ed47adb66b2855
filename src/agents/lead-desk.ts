/** The lead's side of its team's desk: questions of members in other processes stand in its one list; what binds it binds them. */
import type { Answer, Question } from '../contract/ask.ts';
import type { SessionEvent } from '../contract/event.ts';
import type { AskId, SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { TeamStore } from '../contract/team.ts';
import type { EntryBody } from '../contract/transcript.ts';
import { errorText } from '../lib/error-text.ts';
import { type Desk, deskOf } from './desk.ts';
import type { DeskNote, Heard } from './desk-notes.ts';
import { countIn, hearSpending, type Spending } from './shared-spending.ts';

export interface LeadDesk {
  /** From now on this team's processes are heard; what they asked while nobody led them is asked. */
  attend(team: string): Promise<void>;
  /** The team is deleted: nothing is written to it any more, or its folder would come back. */
  leave(): void;
  /** A member's process is gone: nobody waits for its answers. */
  gone(session: SessionId): void;
  /** The lead ends, and the processes of its team with it. */
  away(): Promise<void>;
}

export interface LeadDeskDeps {
  readonly desk: Desk;
  readonly teams: TeamStore;
  readonly spending: Spending;
  /** Nobody sits before this conversation. */
  readonly headless: boolean;
  lead(): SessionState;
  listen(reader: (event: SessionEvent) => void): () => void;
  ask(
    from: { readonly session: SessionId; readonly agent: string },
    question: Question,
    signal: AbortSignal,
  ): Promise<Answer>;
  /** In the lead's own transcript. */
  record(body: Extract<EntryBody, { type: 'spent' }>): Promise<void>;
  /** Mail waits for this member, which runs in the lead's process when it runs. */
  wake(team: string, member: string): Promise<unknown>;
}

interface Open {
  readonly session: SessionId;
  readonly agent: string;
  readonly question: Question;
  readonly over: AbortController;
  put: boolean;
}

export const createLeadDesk = (deps: LeadDeskDeps): LeadDesk => {
  const { desk, teams, spending } = deps;
  const open = new Map<AskId, Open>();
  let said = '';
  let listening = false;
  /** What was said before this run of the lead is being read. */
  let catchingUp = 0;

  const close = (ask: AskId): void => {
    open.get(ask)?.over.abort();
    open.delete(ask);
  };
  const gone = (session: SessionId): void => {
    for (const [ask, one] of open) if (one.session === session) close(ask);
  };

  const put = async (ask: AskId, one: Open): Promise<void> => {
    one.put = true;
    const answer = await deps.ask(one, one.question, one.over.signal);
    if (one.over.signal.aborted) return;
    // This conversation ends: the next one that leads the team is asked again.
    if (answer.kind === 'none' && answer.source === 'closed') return;
    await desk.post({ type: 'answered', ask, answer });
  };

  /** Puts what is open and was asked by somebody who still waits. */
  const putAll = async (team: string): Promise<void> => {
    if (open.size === 0) return;
    const now = await teams.get(team);
    const members = 'members' in now ? now.members : [];
    for (const [ask, one] of open) {
      const asker = members.find((member) => member.session === one.session);
      if (!one.put && asker && teams.isRunning(asker)) void put(ask, one);
    }
  };

  /** Its transcript is the one account of a team: each use stands there once, with the place up to which it was heard. */
  const count = async (
    team: string,
    place: number,
    { session, agent, model, usage }: Extract<DeskNote, { type: 'used' }>,
  ): Promise<void> => {
    const box = deskOf(team);
    if (place <= (deps.lead().mailRead[box] ?? 0)) return;
    const mail = { box, place };
    await deps.record({ type: 'spent', about: agent, child: session, team, model, usage, mail });
    const use = spending.priced(model, usage);
    for (const which of ['session', 'team'] as const) countIn(spending, which, use);
  };

  /** What cannot be kept of one note keeps no other from being heard. */
  const hear = async (team: string, notes: readonly Heard[]): Promise<void> => {
    for (const posted of notes)
      await hearOne(team, posted).catch((error: unknown) =>
        spending.warn(`What a teammate's process said could not be kept: ${errorText(error)}`),
      );
    await putAll(team);
  };

  const hearOne = async (team: string, posted: Heard): Promise<void> => {
    const { note } = posted;
    if (note.type === 'began') gone(note.session);
    else if (note.type === 'settled') close(note.ask);
    else if (note.type === 'asked')
      open.set(note.ask, {
        session: note.session,
        agent: note.agent,
        question: note.question,
        over: new AbortController(),
        put: false,
      });
    else if (note.type === 'wake') void deps.wake(team, note.member);
    else if (note.type === 'used') await count(team, posted.place, note);
    // A lead that comes back begins with its own limits.
    else if (note.type === 'extended' && catchingUp > 0) return;
    // The budgets are the lead's own to tell, and it counts by the transcript.
    else if (note.type !== 'budgets' && note.type !== 'spent') hearSpending(spending, posted);
  };

  /** Tells what binds the members, when it changed. */
  const publish = (): void => {
    const { mode, grants, barred = [], planScope } = deps.lead();
    const note: DeskNote = {
      type: 'lead',
      headless: deps.headless,
      mode,
      grants: [...grants],
      barred: [...barred],
      ...(planScope ? { planScope: [...planScope] } : {}),
    };
    const text = JSON.stringify(note);
    if (text === said) return;
    said = text;
    void desk.post(note);
  };

  return {
    gone,
    leave() {
      for (const ask of open.keys()) close(ask);
      desk.close();
    },
    away: () => desk.post({ type: 'away' }),
    async attend(team) {
      catchingUp += 1;
      await desk.open(team, (notes) => hear(team, notes));
      catchingUp -= 1;
      said = '';
      publish();
      const [session, shared] = [spending.purse('session'), spending.purse('team')];
      await desk.post({ type: 'budgets', session: session.account(), team: shared.account() });
      if (listening) return;
      listening = true;
      deps.listen((event) => {
        if (event.type === 'entry' && event.session === deps.lead().id) publish();
      });
    },
  };
};
