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
  const asleep =
    teams.isRunning(to) || to.session === team.leadSessionId ? undefined : await life.wake(team, to);
  return {
    id,
    ...(asleep ? { note: `It waits in the inbox of ${to.name}, who cannot read it now: ${asleep}` } : {}),
  };
};
