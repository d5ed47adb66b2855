/** Letters that come to a member while it is being stopped: their senders saw it running, so nobody else wakes it. */
import { inboxKey, inboxOf, type TeamLife } from '../contract/team.ts';
import type { HostDeps, TeamDeps } from './host-deps.ts';
import type { Seat } from './roster.ts';

type Deps = Pick<HostDeps, 'mailbox' | 'closing'> & { readonly team: TeamDeps };

/**
 * To be asked when a stop is given. What lay unread then waits as before; the answer is to be called once the member
 * has ended, and lets it go on where a letter came in between.
 */
export const lateLetters = async (
  { mailbox, closing, team: { teams } }: Deps,
  { id, name, team }: Seat,
  wake: TeamLife['wake'],
): Promise<() => Promise<void>> => {
  if (team === undefined || name === undefined) return async () => {};
  const inbox = inboxOf(team, name);
  const { delivered = 0 } = (await teams.receipts(team))[inboxKey(name)] ?? {};
  const last = (await mailbox.read(inbox, delivered)).at(-1)?.place ?? delivered;
  return async () => {
    if (closing() || (await mailbox.read(inbox, last)).length === 0) return;
    const now = await teams.get(team);
    const member = 'members' in now ? now.members.find((one) => one.session === id) : undefined;
    if ('members' in now && member?.state === 'stopped') await wake(now, member);
  };
};
