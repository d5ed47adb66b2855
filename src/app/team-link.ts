/** What binds one root conversation to its team's other processes: the desk, shared budgets, one rate governor. */
import { randomUUID } from 'node:crypto';
import { createDesk } from '../agents/desk.ts';
import type { TeamLink } from '../agents/host-deps.ts';
import { createLeadDesk } from '../agents/lead-desk.ts';
import { type LeadBinding, type MemberDesk, openMemberDesk } from '../agents/member-desk.ts';
import { type Spending, sharedGovernor, sharedPurse } from '../agents/shared-spending.ts';
import { modelUse } from '../contract/message.ts';
import type { TeamLife } from '../contract/team.ts';
import { unreadOf } from '../contract/team-look.ts';
import { steadyNow } from '../lib/steady-now.ts';
import type { Asks } from '../loop/asks.ts';
import type { LoopDeps } from '../loop/deps.ts';
import type { Governor } from '../loop/governor.ts';
import type { Conversation } from '../loop/session.ts';
import { stampOf } from '../store/stamp.ts';
import { waitCeiling } from './agent-limits.ts';
import type { Bus } from './bus.ts';
import { spendingOf } from './count-agents.ts';
import { createPurses, type Purses } from './purses.ts';
import type { RootMember } from './root-member.ts';
import type { RootWish } from './root-wish.ts';
import type { World } from './world.ts';

export interface LinkedTeam {
  readonly link: TeamLink;
  readonly governor: Governor;
  readonly purses: Purses;
  upToDate(): Promise<void>;
  /** What the lead's conversation binds this one to; undefined where it is no teammate of its own. */
  binding(): LeadBinding | undefined;
  /** A teammate's process takes its place. */
  join(member: RootMember): Promise<void>;
  close(): void;
}

export interface LinkedTeamDeps {
  readonly world: World;
  /** Of this process alone. */
  readonly governor: Governor;
  readonly wish: RootWish;
  readonly bus: Bus;
  readonly asks: Asks;
  root(): Conversation;
  wake(): TeamLife['wake'] | undefined;
  readonly cost: LoopDeps['cost'];
}

export const createLinkedTeam = ({
  world,
  governor,
  wish,
  bus,
  asks,
  root,
  wake,
  cost,
}: LinkedTeamDeps): LinkedTeam => {
  const { mailbox, teams } = world.stores;
  const main = () => ({ session: root().id, agent: 'main' });
  const warn = (text: string) => bus.emit(main(), { type: 'notice', level: 'warn', text });
  const desk = createDesk({
    mailbox,
    stamp: stampOf(world.host.pid),
    newId: randomUUID,
    trouble: (text) => warn(`The desk of the team: ${text}`),
  });
  const purses = createPurses(
    wish.member ? {} : wish.limits,
    world.loaded().settings.limits,
    (purse, which) => sharedPurse(purse, which, (note) => void desk.post(note)),
  );
  const spending: Spending = {
    purse: (which) => purses.own(which, root().state().team),
    governor,
    priced: (model, usage) => spendingOf({ [model]: modelUse(usage) }, cost),
    now: steadyNow,
    countdown(delayMs) {
      const text = 'The service asked a teammate to wait.';
      bus.emit(main(), { type: 'retry', attempt: 0, of: 0, delayMs, kind: 'rate_limit', text });
    },
    warn,
  };
  const lead = createLeadDesk({
    desk,
    teams,
    spending,
    headless: wish.headless,
    lead: () => root().state(),
    listen: bus.listen,
    ask: asks.ask,
    record: (body) => root().record(body),
    async wake(key, name) {
      const team = await teams.get(key);
      const member = 'members' in team ? team.members.find((one) => one.name === name) : undefined;
      if (!('members' in team) || !member || member.state === 'ended' || teams.isRunning(member)) return;
      // A desk is read from its beginning: who was woken long ago is not woken again.
      const facts = { events: await teams.events(key), receipts: await teams.receipts(key) };
      if (unreadOf(name, facts) > 0) await wake()?.(team, member);
    },
  });
  const unlisten = bus.listen((event) => {
    if (event.type === 'entry' && event.entry.type === 'team' && event.session === root().id)
      purses.forgetTeams();
  });
  let seat: MemberDesk | undefined;
  return {
    purses,
    governor: sharedGovernor(governor, steadyNow, (note) => void desk.post(note)),
    upToDate: desk.catchUp,
    binding: () => seat?.binding(),
    link: { ...lead, wake: (member) => desk.post({ type: 'wake', member }) },
    async join({ name, team, dissolved }) {
      seat = await openMemberDesk({
        desk,
        teams,
        spending,
        team,
        session: root().id,
        name,
        listen: bus.listen,
        answer: asks.answer,
        busy: () => root().busy(),
        patienceMs: waitCeiling(world),
        dissolved,
      });
    },
    close() {
      unlisten();
      seat?.close();
      desk.close();
    },
  };
};
