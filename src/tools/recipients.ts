/** Who a message can go to: members of the team, agents of this conversation, the lead. Everybody else is an error. */
import type { AgentInfo } from '../contract/agent.ts';
import type { SessionState } from '../contract/state.ts';
import { LEAD, memberName, memberNameOf, sameName, type Team, type TeamMember } from '../contract/team.ts';

export type Recipient =
  | { readonly kind: 'member'; readonly team: Team; readonly member: TeamMember }
  | { readonly kind: 'agent'; readonly agent: AgentInfo }
  /** The conversation that started this agent. */
  | { readonly kind: 'parent' }
  | { readonly kind: 'all'; readonly team: Team; readonly members: readonly TeamMember[] };

export interface Around {
  readonly state: SessionState;
  readonly team: Team | undefined;
  readonly agents: readonly AgentInfo[];
}

const nameIn = (team: Team | undefined, to: string): string => {
  const bare = to.trim().replace(/^@/, '');
  const home = team && `@${team.key}`;
  return memberName(home && bare.endsWith(home) ? bare.slice(0, -home.length) : bare);
};

/** What the sender itself is called. */
export const senderOf = ({ state, team }: Around): string =>
  (team && memberNameOf(state)) ??
  state.agent.name ??
  (state.parent === undefined ? 'main' : state.agent.type);

const reachable = ({ team, agents, state }: Around): string => {
  const self = team && memberNameOf(state);
  const names = [
    ...(team?.members ?? [])
      .filter((one) => one.name !== self && one.state !== 'ended')
      .map((one) => `${one.name} (${one.state})`),
    ...agents
      .filter((one) => one.id !== state.id && !team?.members.some((member) => member.session === one.id))
      .map((one) => `${one.name ?? one.id} (${one.status})`),
    ...(state.parent !== undefined && team === undefined ? ['main'] : []),
  ];
  return names.length === 0 ? 'There is nobody to write to.' : `There are: ${names.join(', ')}.`;
};

export const recipientOf = (to: string, around: Around): Recipient | { readonly wrong: string } => {
  const { state, team, agents } = around;
  if (to.trim() === '*') {
    if (!team) return { wrong: `"*" goes to all teammates, and you are in no team. ${reachable(around)}` };
    const members = team.members.filter((one) => one.name !== memberNameOf(state) && one.state !== 'ended');
    return members.length === 0
      ? { wrong: `The team "${team.name}" has no other members yet; nothing was sent.` }
      : { kind: 'all', team, members };
  }
  const name = nameIn(team, to);
  const self = team ? memberNameOf(state) : state.agent.name;
  if (name === self || to === state.id)
    return { wrong: `You are ${name} yourself; nothing was sent. ${reachable(around)}` };
  const member = team?.members.find((one) => sameName(one.name, name));
  if (team && member)
    return member.state === 'ended'
      ? {
          wrong: `${member.name} was shut down and reads no mail any more; nothing was sent. ${reachable(around)}`,
        }
      : { kind: 'member', team, member };
  const agent =
    agents.find((one) => one.id === to) ??
    agents.findLast((one) => one.name !== undefined && sameName(one.name, name));
  if (agent) return { kind: 'agent', agent };
  if (name === LEAD && state.parent !== undefined) return { kind: 'parent' };
  return { wrong: `Nobody here is called "${to.slice(0, 80)}"; nothing was sent. ${reachable(around)}` };
};
