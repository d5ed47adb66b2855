import type { Agents } from '../contract/agent.ts';
import { protocolWords } from '../contract/protocol-words.ts';
import type { Mailbox } from '../contract/store.ts';
import { inboxOf, type Team, type TeamLife, type TeamMember, type TeamStore } from '../contract/team.ts';

/** What the team tools stand on. */
export interface TeamTools {
  readonly teams: TeamStore;
  readonly mailbox: Mailbox;
  readonly life: TeamLife;
  agents(): Agents;
  newId(): string;
  now(): Date;
}

/** One letter to one member, on disk before this resolves; its log line says where it lies. */
export const deliver = async (
  { mailbox, teams, life, newId, now }: TeamTools,
  letter: {
    readonly team: Team;
    readonly to: TeamMember;
    readonly from: string;
    readonly text: string;
    readonly summary?: string;
    readonly protocol?: string;
    readonly requestId?: string;
  },
): Promise<{ readonly id: string; readonly note?: string } | { readonly wrong: string }> => {
  const { team, to, from, text, summary, protocol, requestId } = letter;
  const id = newId();
  const time = now().toISOString();
  const color = team.members.find((one) => one.name === from)?.color;
  try {
    const place = await mailbox.send(inboxOf(team.key, to.name), {
      id,
      text,
      origin: {
        kind: 'mail',
        from,
        id,
        ...(summary ? { summary } : {}),
        ...(color ? { color } : {}),
        ...(protocol ? { protocol } : {}),
      },
    });
    await teams.record(team.key, {
      time,
      agent: from,
      type: 'message',
      id,
      from,
      to: to.name,
      place,
      ...(summary ? { summary } : {}),
      ...(protocol ? { protocol, requestId, summary: protocolWords(text) } : {}),
    });
  } catch (error) {
    return {
      wrong: `Failed to write to ${to.name}'s inbox: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
  const note = await unheard({ teams, life }, team, to);
  return { id, ...(note ? { note } : {}) };
};

/** Asked once the letter is on disk: whoever ended before that is woken, whoever ends after it looks once more. */
const unheard = async (
  { teams, life }: Pick<TeamTools, 'teams' | 'life'>,
  { key }: Team,
  { name, session }: TeamMember,
): Promise<string | undefined> => {
  const team = await teams.get(key);
  const member = 'members' in team ? team.members.find((one) => one.session === session) : undefined;
  if (!('members' in team) || !member || member.state === 'ended')
    return `${name} ended while it was sent, and reads it no more.`;
  if (teams.isRunning(member) || session === team.leadSessionId) return undefined;
  const asleep = await life.wake(team, member);
  return asleep && `It waits in the inbox of ${name}, who cannot read it now: ${asleep}`;
};
