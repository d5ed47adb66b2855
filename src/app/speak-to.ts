/** What a person says to one agent directly: typed in its view, or as `@name text`. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../contract/ids.ts';
import { inboxOf, LEAD, memberName, sameName, type Team, type TeamMember } from '../contract/team.ts';
import type { House } from './house.ts';
import type { Root } from './root.ts';

type Place = { readonly root: Root; readonly house: House };

interface Member {
  readonly team: Team;
  readonly member: TeamMember;
}

/** `@name text` to an agent of this conversation or a member of its team; undefined when it names none (a file). */
export const addressed = async (
  place: Place,
  typed: string,
): Promise<{ readonly name: string; readonly id: SessionId; readonly text: string } | undefined> => {
  const [, quoted, plain, text] = /^@(?:"([^"\n]+)"|(\S+?))[:,]?\s+([\s\S]+)$/.exec(typed.trim()) ?? [];
  const name = quoted ?? plain;
  if (name === undefined || text === undefined) return undefined;
  const found = await memberWho(place, (one) => sameName(one.name, name));
  if (found) return { name: found.member.name, id: found.member.session, text };
  const agent = place.root.agents
    .list()
    .findLast((one) => one.name !== undefined && sameName(one.name, name));
  return agent && { name: agent.name ?? name, id: agent.id, text };
};

/**
 * Why `@name text` goes to nobody: in a team a first word that names neither a member nor a file was meant for somebody.
 */
export const nobody = async ({ root, house }: Place, typed: string): Promise<string | undefined> => {
  const state = root.session.state();
  const [, name] = /^@(?!agent-)([\p{L}\p{N}_-]+)[:,]?\s/u.exec(typed.trim()) ?? [];
  if (name === undefined || state.team === undefined || existsSync(join(state.cwd, name))) return undefined;
  const team = await house.world.stores.teams.get(state.team);
  const members =
    'members' in team ? team.members.filter((one) => one.name !== LEAD && one.state !== 'ended') : [];
  if (sameName(memberName(name), LEAD) || members.length === 0) return undefined;
  return `There is nobody called "${name}" in the team. Its members are: ${members.map((one) => one.name).join(', ')}. A file is meant by its path, an agent type as @agent-NAME.`;
};

/** Answers a sentence when it could not be said. Who does not run goes on with it. */
export const speakTo = async (place: Place, id: string, text: string): Promise<string | undefined> => {
  const { root, house } = place;
  const found = await memberWho(place, ({ session }) => session === id);
  const agent = root.agents.list().find((one) => one.id === id);
  try {
    if (found) return await tellMember(house, found, text);
    if (agent && (agent.status === 'running' || agent.status === 'waiting')) {
      await house.world.stores.mailbox.send(agent.id, spoken(text));
      return undefined;
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const sent = await root.agents.resume(id, text, root.session.state());
  return 'refused' in sent ? sent.refused : undefined;
};

const spoken = (text: string) => ({ id: randomUUID(), text, origin: { kind: 'person' } as const });

const memberWho = async (
  { root, house }: Place,
  is: (member: TeamMember) => boolean,
): Promise<Member | undefined> => {
  const key = root.session.state().team;
  const team = key === undefined ? undefined : await house.world.stores.teams.get(key);
  if (!team || !('members' in team)) return undefined;
  const member = team.members.find((one) => one.name !== LEAD && is(one));
  return member && { team, member };
};

/** Through its inbox, whatever process it runs in: the team sees how far the letter came. */
const tellMember = async (
  { world, teamwork }: House,
  { team, member }: Member,
  text: string,
): Promise<string | undefined> => {
  if (member.state === 'ended') return `${member.name} has shut down; start a new teammate for this.`;
  const { mailbox, teams } = world.stores;
  const mail = spoken(text);
  const place = await mailbox.send(inboxOf(team.key, member.name), mail);
  await teams.record(team.key, {
    time: new Date().toISOString(),
    agent: 'user',
    type: 'message',
    id: mail.id,
    from: 'user',
    to: member.name,
    place,
    summary: firstWords(text),
  });
  return teams.isRunning(member) ? undefined : await teamwork()?.life.wake(team, member);
};

const MOST_WORDS = 10;
const firstWords = (text: string): string => {
  const words = text.trim().split(/\s+/);
  return `${words.slice(0, MOST_WORDS).join(' ')}${words.length > MOST_WORDS ? ' …' : ''}`;
};
