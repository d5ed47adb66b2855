/** The verbs of teams, over files or memory. */
import * as z from 'zod';
import type { StoreFailed } from '../contract/store.ts';
import type { TaskStore } from '../contract/task.ts';
import {
  inboxKey,
  inboxOf,
  isReservedName,
  LEAD,
  nameProblem,
  type ProcessStamp,
  type Receipt,
  sameName,
  type Team,
  type TeamEvent,
  type TeamLead,
  type TeamMember,
  type TeamRefusal,
  type TeamStore,
} from '../contract/team.ts';
import { isFailed } from './failure.ts';
import type { TeamShelf } from './team-shelf.ts';

const receiptLine = z.object({
  member: z.string(),
  delivered: z.number().optional(),
  read: z.number().optional(),
});
const eventLine = z.looseObject({ time: z.string(), agent: z.string(), type: z.string() });

export const teamStore = (
  shelf: TeamShelf,
  tasks: TaskStore,
  now: () => Date = () => new Date(),
): TeamStore => {
  const leaseNow = () => ({ ...shelf.stamp, since: now().toISOString() });
  const isLed = (team: Team): boolean => shelf.isAlive(team.lease);
  const isRunning = (member: TeamMember): boolean =>
    member.state !== 'ended' &&
    member.state !== 'stopped' &&
    member.runs !== undefined &&
    shelf.isAlive(member.runs);

  const isStamped = ({ runs }: TeamMember, { pid, start }: ProcessStamp): boolean =>
    runs?.pid === pid && runs.start === start;
  const isMine = (member: TeamMember): boolean => isStamped(member, shelf.stamp);

  const held: TeamStore['held'] = (team, { session, force }) => {
    if (force) return undefined;
    if (session !== team.leadSessionId && isLed(team))
      return `The team "${team.name}" is led by a running session (process ${team.lease.pid} since ${team.lease.since}). Let its lead delete it, or use force.`;
    const busy = team.members.filter((one) => one.name !== LEAD && one.state === 'working' && isRunning(one));
    return busy.length === 0
      ? undefined
      : `Cannot clean up the team "${team.name}" with ${busy.length} active member(s): ${busy.map((one) => one.name).join(', ')}. Wait for them, or ask them to shut down with SendMessageTool and {"type": "shutdown_request"}.`;
  };

  const get: TeamStore['get'] = async (name) => {
    const { teams, problems } = await shelf.all();
    const found = teams.find((team) => sameName(team.name, name) || sameName(team.key, name));
    if (found) return found;
    const known = teams.map((team) => team.name).join(', ');
    const damaged = problems.length > 0 ? ` ${problems.join(' ')}` : '';
    return {
      refused: `There is no team "${name.slice(0, 80)}". ${known === '' ? 'There are no teams.' : `There are: ${known}.`}${damaged}`,
    };
  };

  const change = async (
    name: string,
    work: (team: Team) => Team | TeamRefusal,
  ): Promise<Team | TeamRefusal | StoreFailed> => {
    const team = await get(name);
    if ('refused' in team || 'failed' in team) return team;
    return await shelf.change(team.key, (before) => {
      const made = work(before);
      return 'refused' in made || made === before ? made : { ...made, version: before.version + 1 };
    });
  };

  const leadMember = (key: string, lead: TeamLead): TeamMember => ({
    agentId: `${LEAD}@${key}`,
    name: LEAD,
    ...(lead.agentType ? { agentType: lead.agentType } : {}),
    ...(lead.model ? { model: lead.model } : {}),
    joinedAt: now().getTime(),
    tmuxPaneId: 'leader',
    cwd: lead.cwd,
    subscriptions: [],
    backendType: 'in-process',
    isActive: true,
    session: lead.session,
    state: 'working',
    ...(lead.transcript ? { transcript: lead.transcript } : {}),
    runs: shelf.stamp,
  });

  /** Its own list, fresh: a list of that name without a team is somebody's and stays. */
  const freshList = async (key: string): Promise<string> => {
    const taken = (await tasks.lists()).map(({ list }) => list.toLowerCase());
    let name = key;
    for (let n = 2; taken.includes(name.toLowerCase()); n += 1) name = `${key}-${n}`;
    return name;
  };

  const record = async (
    key: string,
    event: Omit<TeamEvent, 'time'> & { readonly type: string; readonly agent: string },
  ) => {
    shelf.append(key, 'log', { time: now().toISOString(), ...event });
  };

  return {
    get,
    isLed,
    isRunning,
    isMine,
    list: shelf.all,
    async create({ name, description, lead }) {
      const problem = nameProblem('team', name);
      if (problem) return { refused: problem };
      const key = name.normalize('NFC').replaceAll(' ', '-');
      const team: Team = {
        name,
        key,
        ...(description ? { description } : {}),
        createdAt: now().getTime(),
        leadAgentId: `${LEAD}@${key}`,
        leadSessionId: lead.session,
        members: [leadMember(key, lead)],
        project: lead.project,
        taskList: await freshList(key),
        ...(lead.taskList ? { leadTaskList: lead.taskList } : {}),
        version: 1,
        lease: leaseNow(),
      };
      const made = await shelf.add(team, (others) => {
        const led = others.find((one) => one.leadSessionId === lead.session);
        if (led)
          return {
            refused: `You already lead the team "${led.name}"; a lead has one team at a time. Delete it with TeamDeleteTool before you create another.`,
          };
        const other = others.find((one) => sameName(one.key, key));
        return (
          other && {
            refused: isLed(other)
              ? `There is a team "${other.name}" already, led by a running session. Choose another name.`
              : `There is a team "${other.name}" already, whose lead is gone. Choose another name, or have the user run "coppice team adopt ${other.name}" or "coppice team delete ${other.name}".`,
          }
        );
      });
      if (!('refused' in made) && !isFailed(made))
        await record(key, { agent: LEAD, type: 'created', team: name });
      return made;
    },
    ledBy: async (session) => (await shelf.all()).teams.find((team) => team.leadSessionId === session),
    async join(name, member) {
      const problem = isReservedName(member.name)
        ? `The name "${member.name}" is reserved. Choose another.`
        : nameProblem('agent', member.name);
      if (problem) return { refused: problem };
      let before: TeamMember | undefined;
      const team = await change(name, (team) => {
        before = team.members.find((one) => sameName(one.name, member.name));
        if (before && before.session !== member.session && isRunning(before))
          return {
            refused: `The name "${before.name}" is in use in the team "${team.name}" (${before.state}). Choose another, or send it a message.`,
          };
        if (before?.runs && isRunning(before) && !isMine(before) && !isStamped(before, team.lease))
          return {
            refused: `"${before.name}" of the team "${team.name}" runs already, in process ${before.runs.pid}.`,
          };
        const joined: TeamMember = {
          ...member,
          agentId: `${member.name}@${team.key}`,
          joinedAt: now().getTime(),
          tmuxPaneId: member.backendType,
          subscriptions: [],
          isActive: member.state === 'working',
          runs: shelf.stamp,
        };
        const members = before
          ? team.members.map((one) => (one === before ? joined : one))
          : [...team.members, joined];
        return { ...team, members };
      });
      if ('refused' in team || isFailed(team)) return team;
      await record(team.key, { agent: member.name, type: 'joined', session: member.session });
      const receipts = receiptsOf(shelf.lines(team.key, 'receipts'));
      return {
        team,
        inbox: inboxOf(team.key, member.name),
        from: receipts[inboxKey(before?.name ?? member.name)]?.delivered ?? 0,
      };
    },
    async note(name, who, { state, error, lost }) {
      const team = await change(name, (team) =>
        team.members.some((one) => one.name === who)
          ? {
              ...team,
              members: team.members.map((one) =>
                one.name === who
                  ? {
                      ...one,
                      state,
                      isActive: state === 'working',
                      error,
                      ...(lost ? { lost } : {}),
                    }
                  : one,
              ),
            }
          : { refused: `The team "${team.name}" has no member "${who}".` },
      );
      if (!('refused' in team) && !isFailed(team))
        await record(team.key, { agent: who, type: state, ...(error ? { error } : {}) });
      return team;
    },
    held,
    async drop(name, by) {
      const team = await get(name);
      if ('refused' in team || isFailed(team)) return team;
      const why = held(team, by);
      if (why !== undefined) return { refused: why };
      const listing = await tasks.list(team.taskList);
      if (by.force && !isFailed(listing))
        for (const task of listing.tasks.filter(({ status }) => status === 'in_progress'))
          await tasks.cancel(team.taskList, task.id, { name: LEAD, role: 'lead' });
      // The list goes first: a delete that was cut short can be given again.
      const failed = (await tasks.drop(team.taskList)) ?? (await shelf.remove(team.key));
      return failed ?? team;
    },
    async adopt(name, lead) {
      const others = await shelf.all();
      const team = await change(name, (team) => {
        if (team.leadSessionId !== lead.session) {
          if (isLed(team))
            return {
              refused: `The team "${team.name}" is led by a running session (process ${team.lease.pid} since ${team.lease.since}); it cannot be adopted.`,
            };
          const led = others.teams.find((one) => one.leadSessionId === lead.session);
          if (led)
            return {
              refused: `You already lead the team "${led.name}". Delete it before you adopt another.`,
            };
        }
        const rest = team.members.filter((one) => one.name !== LEAD);
        const was = team.members.find((one) => one.name === LEAD);
        return {
          ...team,
          leadSessionId: lead.session,
          ...(lead.taskList && lead.taskList !== team.taskList ? { leadTaskList: lead.taskList } : {}),
          members: [
            { ...was, ...leadMember(team.key, lead), agentType: lead.agentType ?? was?.agentType },
            ...rest,
          ],
          lease: leaseNow(),
        };
      });
      if (!('refused' in team) && !isFailed(team))
        await record(team.key, { agent: LEAD, type: 'adopted', session: lead.session });
      return team;
    },
    async receive(team, member, receipt) {
      shelf.append(team, 'receipts', { member, ...receipt });
    },
    receipts: async (team) => receiptsOf(shelf.lines(team, 'receipts')),
    watch: shelf.watch,
    async record(team, event) {
      shelf.append(team, 'log', event);
    },
    events: async (team) =>
      shelf.lines(team, 'log').flatMap((line) => {
        const event = eventLine.safeParse(line);
        return event.success ? [event.data] : [];
      }),
  };
};

/** The furthest each member has come. */
const receiptsOf = (lines: readonly unknown[]): Readonly<Record<string, Receipt>> => {
  const found = new Map<string, Receipt>();
  for (const line of lines) {
    const one = receiptLine.safeParse(line);
    if (!one.success) continue;
    const before = found.get(one.data.member) ?? { delivered: 0, read: 0 };
    found.set(one.data.member, {
      delivered: Math.max(before.delivered, one.data.delivered ?? 0, one.data.read ?? 0),
      read: Math.max(before.read, one.data.read ?? 0),
    });
  }
  return Object.fromEntries(found);
};
