/** A teammate's own process: the same conversation, without a person, until its lead lets it go. */
import { randomUUID } from 'node:crypto';
import { lostTasksText } from '../agents/lost-tasks.ts';
import { createMate } from '../agents/mate.ts';
import { createRoster, type Seat } from '../agents/roster.ts';
import { begun, ended, firstWords } from '../agents/subagent-hooks.ts';
import { afterRestart } from '../agents/team-again.ts';
import type { AgentDefinition } from '../contract/agent.ts';
import { actorOf } from '../contract/task.ts';
import { LEAD, type Team, type TeamMember } from '../contract/team.ts';
import { deferred } from '../lib/deferred.ts';
import { fold } from '../loop/fold.ts';
import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import { createHouse, type House } from './house.ts';
import { keyProgram } from './key-program.ts';
import { modeOf } from './mode-choice.ts';
import { limitsFrom } from './purses.ts';
import { openRoot, type Root } from './root.ts';
import type { RootMember } from './root-member.ts';
import { taskEvents } from './task-events.ts';
import { openWorld } from './world.ts';
import { worldModels } from './world-models.ts';

/** Says on standard error, which its lead keeps, why it cannot begin or go on. */
type Say = (text: string) => void;

/** `who` is `TEAM/NAME`, as the lead wrote it into the team file. */
export const teammateRun = async (host: Host, flags: Flags, who: string): Promise<number> => {
  const say: Say = (text) => host.tell(`${text}\n`);
  const [key = '', name = ''] = who.split('/');
  const world = await openWorld({ host, flags, trouble: say });
  const { teams } = world.stores;
  const team = await teams.get(key);
  const member = 'members' in team ? team.members.find((one) => one.name === name) : undefined;
  if (!('members' in team) || !member) {
    say('refused' in team ? team.refused : `The team "${key}" has no member "${name}".`);
    return 1;
  }
  const models = await worldModels(world, keyProgram(world));
  const house = await createHouse({ world, models });
  await Promise.all([house.library.ready(), house.servers.reload()]);
  const definition = house.library
    .agents()
    .find((one) => one.name === (member.agentType ?? 'general-purpose'));
  if (!definition) {
    say(`There is no agent type "${member.agentType}" any more.`);
    return 1;
  }
  const joined = await teams.join(key, { ...member, state: 'working', lost: undefined });
  if (!('team' in joined)) {
    say('refused' in joined ? joined.refused : joined.failed);
    return 1;
  }
  const code = await work({ host, flags, house, team, member, definition, joined, say });
  await house.close();
  return code;
};

interface Work {
  readonly host: Host;
  readonly flags: Flags;
  readonly house: House;
  readonly team: Team;
  readonly member: TeamMember;
  readonly definition: AgentDefinition;
  readonly joined: { readonly inbox: string; readonly from: number };
  readonly say: Say;
}

/** What it did before, where it did something. */
const earlier = async ({ house, team, member }: Work) => {
  const { transcripts } = house.world.stores;
  const { project } = house.world;
  const child = { root: member.startedBy ?? team.leadSessionId, name: member.session };
  const path = transcripts.locate(member.session, project, child);
  const { entries } = await transcripts.load(path).catch(() => ({ entries: [] }));
  const state = fold(member.session, entries);
  return { startedBy: child.root, state, from: state && { id: member.session, path, project } };
};

const work = async (all: Work): Promise<number> => {
  const { host, flags, house, team, member, definition, joined, say } = all;
  const { world, models } = house;
  const { teams, tasks, mailbox } = world.stores;
  const { hooks } = house.hookHouse;
  const { name, session } = member;
  const roster = createRoster();
  const seat = roster.reserve({
    id: session,
    name,
    team: team.key,
    type: definition.name,
    label: name,
    output: '',
    parent: team.leadSessionId,
    background: true,
    run: randomUUID(),
  });
  const past = await earlier(all);
  const mailFrom = { [joined.inbox]: past.from ? 0 : joined.from };
  const ready = deferred<void>();
  const place: RootMember = {
    name,
    team: team.key,
    taskList: team.taskList,
    lead: team.leadSessionId,
    startedBy: past.startedBy,
    cwd: member.cwd,
    checkout: member.checkout ?? world.project,
    mailFrom,
    ready: ready.promise,
    ending: (_ending, scope) => mate.ending(seat, scope),
    leave() {
      seat.leaving = true;
      seat.halt.abort();
    },
    dissolved() {
      seat.silent = true;
      halt();
    },
  };
  const halt = () => {
    seat.stopping = true;
    seat.halt.abort();
    root?.conversation.interrupt();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) host.onSignal(signal, halt);
  let root: Root | undefined;
  const opened = await openRoot(house, {
    ...(past.from ? { source: 'resume' as const, from: past.from } : { source: 'startup' as const }),
    id: session,
    mode: past.state?.mode ?? modeOf(world, flags),
    model: member.model ?? models.id('medium'),
    headless: true,
    limits: {
      ...(definition.maxTurns ? { maxTurns: definition.maxTurns } : {}),
      ...limitsFrom(world.loaded().settings.limits?.agent),
    },
    definition,
    member: place,
  });
  if ('refused' in opened) {
    say(opened.refused);
    return 1;
  }
  root = opened;
  const { conversation } = opened;
  const mate = createMate(
    {
      teams,
      tasks: opened.tasks,
      mailbox,
      events: taskEvents(hooks, () => conversation.scope()),
      lead: () => conversation,
      hooks,
      newId: randomUUID,
      emit: (_from, body) => body.type === 'notice' && say(body.text),
      roster,
    },
    { team: team.key, name, mailFrom },
  );
  opened.session.listen((event) => event.type === 'notice' && event.level !== 'info' && say(event.text));
  const who = { id: session, type: definition.name };
  const facts = [
    ...opened.placeFacts,
    ...(await lostTasksText(tasks, team.taskList, past.from ? (member.lost ?? []) : [])),
    ...(await begun({ hooks }, who, conversation.scope())),
  ];
  const words = past.from ? await afterRestart({ team: { tasks } }, team, member) : member.prompt;
  if (words !== undefined || facts.length > 0)
    await mailbox.send(session, {
      id: randomUUID(),
      text: firstWords(words, facts),
      origin: { kind: 'agent', name: LEAD, session: team.leadSessionId },
    });
  ready.resolve();
  if (!seat.stopping) await conversation.idle();
  await mate.live(conversation, seat);
  await ended(
    { hooks },
    who,
    { text: conversation.lastEnd()?.text ?? '', active: false },
    conversation.scope(),
  );
  await farewell(all, seat, opened, mate.over);
  return 0;
};

/** Its tasks go back, its worktree is left, its lead is told. */
const farewell = async (
  { house, team, member }: Work,
  seat: Seat,
  root: Root,
  over: ReturnType<typeof createMate>['over'],
): Promise<void> => {
  const worktree = await root.leavePlace();
  if (!seat.silent) {
    const back = await house.world.stores.tasks.release(
      team.taskList,
      actorOf(root.conversation.state()),
      `Returned to pending: ${member.name} ${seat.leaving ? 'finished' : 'was stopped'}.`,
    );
    seat.lost = 'failed' in back ? [] : back.map((task) => task.id);
  }
  await over(seat, {
    status: seat.leaving ? 'done' : 'stopped',
    text: '',
    toolCalls: 0,
    tokens: 0,
    ms: 0,
    ...(worktree ? { worktree } : {}),
  });
  await root.close('other');
};
