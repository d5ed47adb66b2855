/** The task and team tools over stores in memory, called as the loop calls them. */
import type { AgentInfo, Agents } from '../../src/contract/agent.ts';
import type { CallId, SessionId } from '../../src/contract/ids.ts';
import { noUsage } from '../../src/contract/message.ts';
import type { SessionState } from '../../src/contract/state.ts';
import type { TaskEvents } from '../../src/contract/task.ts';
import { inboxOf, type TeamLife } from '../../src/contract/team.ts';
import type { Tool, ToolOutcome } from '../../src/contract/tool.ts';
import { memoryMailbox } from '../../src/store/memory.ts';
import { memoryShelf } from '../../src/store/task-memory.ts';
import { taskStore } from '../../src/store/tasks.ts';
import { memoryTeamShelf } from '../../src/store/team-shelf.ts';
import { teamStore } from '../../src/store/teams.ts';
import type { TeamTools } from '../../src/tools/deliver.ts';
import { sendMessageTool } from '../../src/tools/send-message.ts';
import { taskCreateTool } from '../../src/tools/task-create.ts';
import { taskGetTool } from '../../src/tools/task-get.ts';
import { taskListTool } from '../../src/tools/task-list.ts';
import { taskUpdateTool } from '../../src/tools/task-update.ts';
import { teamCreateTool } from '../../src/tools/team-create.ts';
import { teamDeleteTool } from '../../src/tools/team-delete.ts';

export const state = (id: string, more: Partial<SessionState> = {}): SessionState => ({
  id: id as SessionId,
  root: id as SessionId,
  agent: { type: 'main' },
  model: 'claude-test',
  thinkingTokens: 0,
  cwd: '/p',
  project: '/p',
  checkout: '/p',
  directories: [],
  mode: 'default',
  taskList: id,
  mailRead: {},
  seen: {},
  messages: [],
  turns: 0,
  usage: noUsage,
  usageByModel: {},
  contextTokens: 0,
  onceDone: [],
  grants: [],
  ...more,
});

export interface DeskWish {
  readonly agents?: readonly AgentInfo[];
  /** What a hook of this event says of a task. */
  readonly forbids?: Partial<
    Record<'TaskCreated' | 'TaskCompleted', (subject: string) => string | undefined>
  >;
}

export const openDesk = (wish: DeskWish = {}) => {
  const tasks = taskStore(memoryShelf());
  const teams = teamStore(memoryTeamShelf(), tasks);
  const mailbox = memoryMailbox();
  const resumed: string[] = [];
  const left: string[] = [];
  const followed: object[] = [];
  const life: TeamLife = {
    leave: async (session) => void left.push(session),
    wake: async () => undefined,
    dissolve: async () => undefined,
    follow: async (_lead, to) => void followed.push(to),
  };
  const events: TaskEvents = {
    awaited: (event) => wish.forbids?.[event] !== undefined,
    created: async ({ subject }) => ({ forbidden: wish.forbids?.TaskCreated?.(subject) }),
    completed: async ({ subject }) => ({ forbidden: wish.forbids?.TaskCompleted?.(subject) }),
  };
  const agents: Agents = {
    list: () => wish.agents ?? [],
    resume: async (id, text) => {
      resumed.push(`${id}: ${text}`);
      return {
        id: id as SessionId,
        output: '',
        result: new Promise(() => undefined),
        toBackground: async () => true,
      };
    },
    spawn: async () => ({ refused: 'no' }),
    stop: async () => ({ refused: 'no' }),
    wait: async () => undefined,
  };
  let count = 0;
  const team: TeamTools = {
    teams,
    mailbox,
    life,
    agents: () => agents,
    newId: () => `mail-${++count}`,
    now: () => new Date(1_800_000_000_000),
  };
  const own = { tasks, events };
  const tools: readonly Tool[] = [
    taskCreateTool(own),
    taskUpdateTool(own),
    taskGetTool(own),
    taskListTool(own),
    sendMessageTool(team),
    teamCreateTool(team),
    teamDeleteTool(team),
  ];
  const call = async (name: string, input: unknown, session: SessionState): Promise<ToolOutcome> => {
    const prepared = tools.find((tool) => tool.schema.name === name)?.prepare(input, session);
    if (prepared === undefined) throw new Error(name);
    if ('invalid' in prepared) return { status: 'error', text: prepared.invalid };
    return await prepared.run({
      session,
      call: 'call' as CallId,
      signal: new AbortController().signal,
      ask: async () => ({ kind: 'none', reason: '', source: 'headless' }),
      progress: () => undefined,
    });
  };
  return {
    tasks,
    teams,
    mailbox,
    resumed,
    left,
    followed,
    call,
    /** The one JSON object of a result. */
    async json(name: string, input: unknown, session: SessionState): Promise<Record<string, unknown>> {
      const outcome = await call(name, input, session);
      if (outcome.status !== 'ok') throw new Error(outcome.text);
      return JSON.parse(outcome.text);
    },
    async wrong(name: string, input: unknown, session: SessionState): Promise<string> {
      const outcome = await call(name, input, session);
      if (outcome.status !== 'error') throw new Error(outcome.text);
      return outcome.text;
    },
    inbox: async (name: string) =>
      (await mailbox.read(inboxOf('crew', name), 0)).map(({ text, origin }) => ({ text, origin })),
  };
};
