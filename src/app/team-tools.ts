/** Tasks, mail and teams of one root conversation: tools, what is told after a compaction, and who may use what. */
import { randomUUID } from 'node:crypto';
import type { AgentHost } from '../agents/host.ts';
import type { HookScope } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import { isOver, type TaskEvents, type TaskStore } from '../contract/task.ts';
import type { TeamLife } from '../contract/team.ts';
import type { Tool } from '../contract/tool.ts';
import type { TeamTools } from '../tools/deliver.ts';
import { type PlanApprovals, planApprovals } from '../tools/plan-approval.ts';
import { sendMessageTool } from '../tools/send-message.ts';
import { taskCreateTool } from '../tools/task-create.ts';
import { taskGetTool } from '../tools/task-get.ts';
import { taskListTool } from '../tools/task-list.ts';
import { taskUpdateTool } from '../tools/task-update.ts';
import { teamCreateTool } from '../tools/team-create.ts';
import { teamDeleteTool } from '../tools/team-delete.ts';
import type { HookHouse } from './hook-house.ts';
import { taskEvents } from './task-events.ts';
import { type TaskNews, taskNews } from './task-news.ts';
import type { World } from './world.ts';

export interface TeamHouse {
  readonly tools: readonly Tool[];
  readonly events: TaskEvents;
  /** Tells the screen of every change made here. */
  readonly tasks: TaskStore;
  readonly approvals: PlanApprovals;
  /** Why a tool is not offered to this session. */
  withheld(tool: string, state: SessionState): string | undefined;
  /** What others did to the tasks that this session works on. */
  readonly news: TaskNews['since'];
  /** Open tasks, for the model after a compaction. */
  ledger(state: SessionState): Promise<readonly string[]>;
}

export interface TeamHouseDeps {
  readonly world: World;
  readonly hooks: HookHouse['hooks'];
  agents(): AgentHost;
  scopeOf(session: SessionId): HookScope | undefined;
  changed(list: string): void;
}

const SWARM_TOOLS: readonly string[] = ['SendMessageTool', 'TeamCreateTool', 'TeamDeleteTool'];
const LEAD_TOOLS: readonly string[] = ['TeamCreateTool', 'TeamDeleteTool'];

/** Ruling 39: on unless the variable (ours or the older one) or the setting says no. */
export const swarmsOn = (
  env: Readonly<Record<string, string | undefined>>,
  setting: boolean | undefined,
): boolean => {
  const said = env.COPPICE_AGENT_SWARMS ?? env.CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS;
  if (said === undefined || said.trim() === '') return setting !== false;
  return !/^(0|false|no|off)$/i.test(said.trim());
};

const SWARMS_OFF =
  'Agent swarms are off, so there are no teams and no messages between agents. The user can switch them on with the setting "agentSwarms": true or the variable COPPICE_AGENT_SWARMS=1.';

export const createTeamHouse = ({ world, hooks, agents, scopeOf, changed }: TeamHouseDeps): TeamHouse => {
  const { stores } = world;
  const on = (): boolean => swarmsOn(world.env(), world.loaded().settings.agentSwarms);
  const news = taskNews(stores.tasks);
  const tasks = announced(news.tasks, changed);
  const events = taskEvents(hooks, scopeOf);
  // Late-bound: the host of agents needs these tools, and they need the host.
  const life: TeamLife = {
    leave: async (session) => await agents().teamwork?.life.leave(session),
    wake: async (team, member) => await agents().teamwork?.life.wake(team, member),
    dissolve: async (team) => await agents().teamwork?.life.dissolve(team),
    follow: async (lead, to) => await agents().teamwork?.life.follow(lead, to),
  };
  const team: TeamTools = {
    teams: stores.teams,
    mailbox: stores.mailbox,
    life,
    agents,
    newId: randomUUID,
    now: () => new Date(),
  };
  const own = { tasks, events };
  return {
    tasks,
    events,
    approvals: planApprovals(team),
    news: news.since,
    tools: [
      taskCreateTool(own),
      taskUpdateTool(own),
      taskGetTool(own),
      taskListTool(own),
      sendMessageTool(team),
      teamCreateTool(team),
      teamDeleteTool(team),
    ],
    withheld(tool, state) {
      if (SWARM_TOOLS.includes(tool) && !on()) return SWARMS_OFF;
      return LEAD_TOOLS.includes(tool) && state.parent !== undefined
        ? `Only the lead of a team can use ${tool}; ask your lead.`
        : undefined;
    },
    async ledger(state) {
      const listing = await stores.tasks.list(state.taskList);
      if ('failed' in listing) return [listing.failed];
      return listing.tasks
        .filter((task) => !isOver(task.status))
        .slice(0, 100)
        .map(
          ({ id, subject, status, owner }) =>
            `Task ${id} is ${status.replace('_', ' ')}${owner ? ` (owner ${owner})` : ''}: ${subject}`,
        );
    },
  };
};

/** The same store; what changes a list tells of it. */
const announced = (store: TaskStore, changed: (list: string) => void): TaskStore => {
  const after = async <T>(list: string, answer: Promise<T>): Promise<T> => {
    const made = await answer;
    if (
      made !== undefined &&
      !(typeof made === 'object' && made !== null && ('refused' in made || 'failed' in made))
    )
      changed(list);
    return made;
  };
  return {
    ...store,
    create: (list, ...rest) => after(list, store.create(list, ...rest)),
    update: (list, ...rest) => after(list, store.update(list, ...rest)),
    claim: (list, ...rest) => after(list, store.claim(list, ...rest)),
    claimNext: (list, ...rest) => after(list, store.claimNext(list, ...rest)),
    complete: (list, ...rest) => after(list, store.complete(list, ...rest)),
    cancel: (list, ...rest) => after(list, store.cancel(list, ...rest)),
    release: (list, ...rest) => after(list, store.release(list, ...rest)),
    drop: (list) => after(list, store.drop(list)),
  };
};
