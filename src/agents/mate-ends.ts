/** Teammates in processes of their own, for a lead without a person: it waits for their work, and takes them along when it ends. */
import { setTimeout as pause } from 'node:timers/promises';
import type { TeamMember } from '../contract/team.ts';
import { unreadOf } from '../contract/team-look.ts';
import type { TeamDeps } from './host-deps.ts';
import type { Roster, Seat } from './roster.ts';

/** How often it looks what their team file says. */
const LOOK_MS = 200;

export interface MateEnds {
  /** Resolves when none of them works or has unread mail. */
  quiet(): Promise<void>;
  /** Ends them; they come back with the lead. */
  rest(): Promise<void>;
}

export const mateEnds = ({ teams, processes, link, lead }: TeamDeps, roster: Roster): MateEnds => {
  const seatOf = ({ session }: TeamMember): Seat | undefined => roster.byId(session);
  /** It has taken its place; before that only its seat knows of its process. */
  const runs = (member: TeamMember): boolean => teams.isRunning(member) && !teams.isMine(member);
  const isComing = (member: TeamMember): boolean => {
    const seat = seatOf(member);
    return !runs(member) && seat?.endProcess !== undefined && roster.isRunning(seat);
  };
  const led = async (): Promise<{ readonly key: string; readonly members: readonly TeamMember[] }> => {
    const { id, team: key } = lead().state();
    const team = key === undefined ? undefined : await teams.get(key);
    if (!team || !('members' in team) || team.leadSessionId !== id) return { key: '', members: [] };
    const isApart = (one: TeamMember) => one.backendType === 'process' && (runs(one) || isComing(one));
    return { key: team.key, members: team.members.filter(isApart) };
  };
  const busy = async (): Promise<boolean> => {
    const { key, members } = await led();
    if (members.some((one) => one.state === 'working' || isComing(one))) return true;
    const facts = { events: await teams.events(key), receipts: await teams.receipts(key) };
    return members.some(({ name }) => unreadOf(name, facts) > 0);
  };
  return {
    async quiet() {
      if ((await led()).members.length === 0) return;
      // What one does last may be another's work: nothing is to be done when two looks say so.
      for (let still = 0; still < 2; still = (await busy()) ? 0 : still + 1) await pause(LOOK_MS);
    },
    async rest() {
      const { members } = await led();
      if (members.length === 0) return;
      for (const member of members) {
        const seat = seatOf(member);
        if (seat) seat.silent = true;
      }
      await link?.away();
      await Promise.all(
        members.map(async (member) => {
          const seat = seatOf(member);
          if (runs(member)) await processes?.rest(member);
          else seat?.endProcess?.();
          // What it ended with is written before this program ends.
          await seat?.settled;
        }),
      );
    },
  };
};
