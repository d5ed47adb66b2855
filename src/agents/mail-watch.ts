/** Reads the event stream for how far mail came (ruling 40). */
import type { SessionEvent } from '../contract/event.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { TeamStore } from '../contract/team.ts';

/** Team and member of an inbox; undefined for any other box. */
const inboxPath = (box: string): { readonly team: string; readonly member: string } | undefined => {
  const [teams, team, inboxes, member] = box.split('/');
  return teams === 'teams' && inboxes === 'inboxes' && team && member ? { team, member } : undefined;
};

/**
 * Delivered is in the transcript; read is in a request that got an answer, also where a kill came in between. Answers
 * the way to stop.
 */
export const watchMail = (
  listen: (reader: (event: SessionEvent) => void) => () => void,
  teams: TeamStore,
  stateOf: (session: SessionId) => SessionState | undefined,
): (() => void) => {
  const known = new Map<string, number>();
  const told = (box: string, how: 'delivered' | 'read', place: number): void => {
    const inbox = inboxPath(box);
    if (!inbox || known.get(`${how} ${box}`) === place) return;
    known.set(`${how} ${box}`, place);
    void teams.receive(inbox.team, inbox.member, { [how]: place });
  };
  return listen(({ session, ...event }) => {
    if (event.type !== 'entry') return;
    const { entry } = event;
    if (entry.type === 'user' && entry.mail) told(entry.mail.box, 'delivered', entry.mail.place);
    if (entry.type === 'assistant' && !entry.partial)
      for (const [box, place] of Object.entries(stateOf(session)?.mailRead ?? {})) told(box, 'read', place);
  });
};
