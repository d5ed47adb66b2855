/** A teammate's own process: the same conversation, without a person, until its lead lets it go. */
import { randomUUID } from 'node:crypto';
import { createMate } from '../agents/mate.ts';
import { createRoster } from '../agents/roster.ts';
import { afterRestart } from '../agents/team.ts';
import type { AgentResult } from '../contract/agent.ts';
import type { Answer, Question } from '../contract/ask.ts';
import { actorOf } from '../contract/task.ts';
import { LEAD } from '../contract/team.ts';
import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import { createHouse } from './house.ts';
import { keyProgram } from './key-program.ts';
import { modeOf } from './mode-choice.ts';
import { createModels } from './models.ts';
import { limitsFrom } from './purses.ts';
import { openRoot } from './root.ts';
import type { RootMember } from './root-member.ts';

import { readKey } from './stored-key.ts';
import { taskEvents } from './task-events.ts';
import { VERSION } from './version.ts';
import { openWorld } from './world.ts';

const nobody = (_question: Question): Answer => ({
  kind: 'none',
  source: 'headless',
  reason:
    'This teammate runs in a process of its own, where nobody can answer: it needs an allow rule, or teammateMode "in-process".',
});

/** `who` is `TEAM/NAME`, as the lead wrote it into the team file. */
export const teammateRun = async (host: Host, flags: Flags, who: string): Promise<number> => {
  const say = (text: string) => void host.stderr.write(`${text}\n`);
  const [key = '', name = ''] = who.split('/');
  const world = await openWorld({ host, flags, trouble: say });
  const { teams, tasks, mailbox, transcripts } = world.stores;
  const team = await teams.get(key);
  const member = 'members' in team ? team.members.find((one) => one.name === name) : undefined;
  if (!('members' in team) || !member) {
    say('refused' in team ? team.refused : `The team "${key}" has no member "${name}".`);
    return 1;
  }
  const models = await createModels({
    flags,
    env: world.env(),
    loaded: world.loaded(),
    storedKey: await readKey(world.homes),
    version: VERSION,
    helper: keyProgram(world),
    practice: flags.practice === true,
  });
  const house = await createHouse({ world, models });
  await Promise.all([house.library.ready(), house.servers.reload()]);
  const definition = house.library
    .agents()
    .find((one) => one.name === (member.agentType ?? 'general-purpose'));
  if (!definition) {
    say(`There is no agent type "${member.agentType}" any more.`);
    return 1;
  }
  const {
    agentId: _id,
    joinedAt: _at,
    subscriptions: _s,
    tmuxPaneId: _p,
    isActive: _a,
    runs: _r,
    ...about
  } = member;
  const joined = await teams.join(key, { ...about, state: 'working' });
  if (!('team' in joined)) {
    say('refused' in joined ? joined.refused : joined.failed);
    return 1;
  }
  const roster = createRoster();
  const seat = roster.reserve({
    id: member.session,
    name,
    team: key,
    type: definition.name,
    label: name,
    output: '',
    parent: team.leadSessionId,
    background: true,
    run: randomUUID(),
  });
  const from = await transcripts.find(member.session, world.project);
  const mailFrom = { [joined.inbox]: from ? 0 : joined.from };
  const place: RootMember = {
    name,
    team: key,
    taskList: team.taskList,
    cwd: member.cwd,
    mailFrom,
    ending: (_ending, scope) => mate.ending(seat, scope),
    leave() {
      seat.leaving = true;
      seat.halt.abort();
    },
  };
  const root = await openRoot(house, {
    ...(from ? { source: 'resume' as const, from } : { source: 'startup' as const }),
    id: member.session,
    mode: modeOf(world, flags),
    model: member.model ?? models.id('medium'),
    headless: true,
    limits: limitsFrom(world.loaded().settings.limits?.agent),
    standIn: nobody,
    definition,
    member: place,
  });
  if ('refused' in root) {
    say(root.refused);
    return 1;
  }
  const { conversation } = root;
  const mate = createMate(
    {
      teams,
      tasks: root.tasks,
      mailbox,
      events: taskEvents(house.hookHouse.hooks, () => conversation.scope()),
      lead: () => conversation,
      hooks: house.hookHouse.hooks,
      newId: randomUUID,
      emit: (_from, body) => body.type === 'notice' && say(body.text),
      roster,
    },
    { team: key, name, mailFrom },
  );
  root.session.listen((event) => event.type === 'notice' && event.level !== 'info' && say(event.text));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    host.onSignal(signal, () => {
      seat.stopping = true;
      seat.halt.abort();
      conversation.interrupt();
    });
  const words = from ? await afterRestart({ team: { tasks } }, team, member) : member.prompt;
  if (words)
    await mailbox.send(member.session, {
      id: randomUUID(),
      text: words,
      origin: { kind: 'agent', name: LEAD, session: team.leadSessionId },
    });
  await conversation.idle();
  await mate.live(conversation, seat);
  const result: AgentResult = {
    status: seat.stopping ? 'stopped' : 'done',
    text: '',
    toolCalls: 0,
    tokens: 0,
    ms: 0,
  };
  await tasks.release(
    team.taskList,
    actorOf(conversation.state()),
    `Returned to pending: ${name} ${seat.stopping ? 'was stopped' : 'finished'}.`,
  );
  await mate.over(seat, result);
  await root.close('other');
  await house.close();
  return 0;
};
