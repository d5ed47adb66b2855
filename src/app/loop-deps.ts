/** What the loop of one root conversation and its children stands on. */
import { randomUUID } from 'node:crypto';
import { planAnswer } from '../agents/plan-answer.ts';
import type { CallId } from '../contract/ids.ts';
import { isFolder } from '../lib/is-folder.ts';
import { maskAll } from '../lib/mask.ts';
import type { Asks } from '../loop/asks.ts';
import type { LoopDeps } from '../loop/deps.ts';
import type { AgentParts } from './agent-parts.ts';
import type { Bus } from './bus.ts';
import { branchOf } from './git-facts.ts';
import type { House } from './house.ts';
import type { Tree } from './open-tree.ts';
import type { RootWish } from './root-wish.ts';
import type { LinkedTeam } from './team-link.ts';
import type { Toolset } from './toolset.ts';
import { guarded } from './worktree-guard.ts';

export interface LoopPlace {
  readonly house: House;
  readonly wish: RootWish;
  /** Of the main conversation, where it is an agent. */
  readonly parts?: AgentParts;
  readonly toolset: Toolset;
  readonly team: LinkedTeam;
  readonly bus: Bus;
  readonly asks: Asks;
  readonly bound: Tree['bound'];
  /** What the agent of a call that was cut off came to. */
  cutOff(call: CallId): Promise<string | undefined>;
}

export const loopDeps = ({
  house,
  wish,
  parts,
  toolset,
  team,
  bus,
  asks,
  bound,
  cutOff,
}: LoopPlace): LoopDeps => {
  const { world, models, briefing } = house;
  const { transcripts, mailbox } = world.stores;
  return {
    model: models.client,
    hooks: house.hookHouse.hooks,
    mailbox,
    asks,
    emit: bus.emit,
    mask: (value) => maskAll(value, models.secrets),
    tools: toolset.tools,
    withheld: toolset.withheld,
    serverTools: toolset.serverTools,
    system: () => parts?.system ?? briefing.system(undefined),
    opening: briefing.opening,
    news: async (state, at) => [...(await briefing.news(state, at)), ...(await toolset.team.news(state))],
    ledger: toolset.ledger,
    backgroundTasks: toolset.backgroundTasks,
    skillHooks: house.library.skillHooks,
    governor: team.governor,
    upToDate: team.upToDate,
    warnAt: world.loaded().settings.limits?.warnAt,
    facts: models.facts,
    cost: models.knownCost,
    bound,
    judge: guarded(house.gate.judge, world.homes.user ?? '/'),
    remember: house.saving.remember,
    updatePermissions: house.saving.updatePermissions,
    checkpoint: toolset.checkpoint,
    follow: wish.follow,
    planFile: toolset.planFile,
    render: briefing.render,
    planAnswer,
    entries: async (path) => (await transcripts.load(path)).entries,
    cutOff,
    branch: branchOf,
    exists: isFolder,
    now: () => new Date(),
    newId: randomUUID,
    partials: world.flags.includePartialMessages === true,
    autoCompact: house.habits.compactAt,
  };
};
