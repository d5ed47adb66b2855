/** What a person says to one agent directly: typed in its view, or as `@name text`. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../contract/ids.ts';
import type { ImageBlock } from '../contract/message.ts';
import type { Completion } from '../contract/screen.ts';
import { inboxOf, LEAD, memberName, sameName, type Team, type TeamMember } from '../contract/team.ts';
import { transcriptOf } from './look-at-team.ts';
import type { Root } from './root.ts';
import type { World } from './world.ts';

/** The conversation in which it is said. */
export interface Place {
  readonly root: Root;
  readonly world: World;
}

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
  const agent = place.root.agents
    .list()
    .findLast((one) => one.name !== undefined && sameName(one.name, name));
  // Somebody else may go by the name of a member that has shut down.
  if (found && (found.member.state !== 'ended' || !agent))
    return { name: found.member.name, id: found.member.session, text };
  return agent && { name: agent.name ?? name, id: agent.id, text };
};

/**
 * Why `@name text` goes to nobody: in a team a first word that names neither a member nor a file was meant for somebody.
 */
export const nobody = async (place: Place, typed: string): Promise<string | undefined> => {
  const [, name] = /^@(?!agent-)([\p{L}\p{N}_-]+)[:,]?\s/u.exec(typed.trim()) ?? [];
  if (name === undefined || existsSync(join(place.root.session.state().cwd, name))) return undefined;
  const names = ((await teamOf(place))?.members ?? [])
    .filter((one) => one.name !== LEAD && one.state !== 'ended')
    .map((one) => one.name);
  if (sameName(memberName(name), LEAD) || names.length === 0) return undefined;
  return `There is nobody called "${name}" in the team. Its members are: ${names.join(', ')}. A file is meant by its path, an agent type as @agent-NAME.`;
};

/** Who can be spoken to as `@name text`: agents of the conversation, members of its team. */
export const namesOf = async (place: Place): Promise<readonly Completion[]> => {
  const members = (await teamOf(place))?.members ?? [];
  const agents = place.root.agents
    .list()
    .flatMap(({ name, label, status }) => (name ? [{ name, detail: `${label} · ${status}` }] : []));
  const names = new Map([
    ...agents.map(({ name, detail }) => [name, detail] as const),
    ...members.map(({ name, state }) => [name, state === 'ended' ? '' : `teammate · ${state}`] as const),
  ]);
  return [...names]
    .filter(([name, detail]) => name !== LEAD && detail !== '')
    .map(([name, detail]) => ({ insert: name, label: name, detail }));
};

/** Answers a sentence when it could not be said. Who does not run goes on with it. */
export const speakTo = async (
  place: Place,
  id: string,
  text: string,
  images: readonly ImageBlock[] = [],
): Promise<string | undefined> => {
  const { root } = place;
  try {
    const found = await memberWho(place, ({ session }) => session === id);
    if (found) return await tellMember(place, found, text, images);
    if (images.length > 0)
      return 'A picture can be said to the main conversation and to teammates; leave it out for this agent.';
    const sent = await root.agents.resume(id, text, root.session.state(), 'person');
    return 'refused' in sent ? sent.refused : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Why somebody cannot be stopped, where it is a member of the team that does not run. */
export const notRunning = async (place: Place, id: string): Promise<string | undefined> => {
  const member = (await memberWho(place, ({ session }) => session === id))?.member;
  if (!member || place.world.stores.teams.isRunning(member)) return undefined;
  return member.state === 'ended'
    ? `${member.name} has shut down.`
    : `${member.name} is not running (${member.state}).`;
};

/** Where the transcript of an agent or a member lies. */
export const transcriptFor = async (place: Place, id: SessionId): Promise<string> => {
  const { transcripts } = place.world.stores;
  const found = await memberWho(place, ({ session }) => session === id);
  return found
    ? transcriptOf(transcripts, found.team, found.member)
    : transcripts.locate(id, place.world.project, { root: place.root.session.id, name: id });
};

const teamOf = async ({ root, world }: Place): Promise<Team | undefined> => {
  const key = root.session.state().team;
  const team = key === undefined ? undefined : await world.stores.teams.get(key);
  return team && 'members' in team ? team : undefined;
};

const memberWho = async (place: Place, is: (member: TeamMember) => boolean): Promise<Member | undefined> => {
  const team = await teamOf(place);
  const member = team?.members.find((one) => one.name !== LEAD && is(one));
  return team && member && { team, member };
};

/** Through its inbox, whatever process it runs in: the team sees how far the letter came. */
const tellMember = async (
  { root, world }: Place,
  { team, member }: Member,
  text: string,
  images: readonly ImageBlock[],
): Promise<string | undefined> => {
  if (member.state === 'ended') return `${member.name} has shut down; start a new teammate for this.`;
  const { mailbox, teams } = world.stores;
  const id = randomUUID();
  const time = new Date().toISOString();
  const at = await mailbox.send(inboxOf(team.key, member.name), {
    id,
    text,
    origin: { kind: 'person' },
    ...(images.length > 0 ? { images } : {}),
  });
  await teams.record(team.key, {
    time,
    agent: 'user',
    type: 'message',
    id,
    from: 'user',
    to: member.name,
    place: at,
    summary: firstWords(text),
  });
  // It may have been stopped meanwhile.
  const now = await teams.get(team.key);
  const still = 'members' in now && now.members.find((one) => one.session === member.session);
  if (still && teams.isRunning(still)) return undefined;
  const failed = await root.agents.teamwork?.life.wake(team, still || member);
  return failed && `${member.name} could not go on: ${failed} What you said waits in its inbox.`;
};

const MOST_WORDS = 10;
const firstWords = (text: string): string => {
  const words = text.trim().split(/\s+/);
  return `${words.slice(0, MOST_WORDS).join(' ')}${words.length > MOST_WORDS ? ' …' : ''}`;
};
