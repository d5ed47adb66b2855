/** The tools of one root conversation and its children. */

import { mayHave } from '../agents/derive.ts';
import type { AgentHost } from '../agents/host.ts';
import type { Place } from '../agents/host-deps.ts';
import type { WorktreeShelf } from '../commands/worktrees.ts';
import type { AgentDefinition, SpawnRequest } from '../contract/agent.ts';
import type { HookScope } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Mailbox } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import { canonicalName } from '../contract/tool-names.ts';
import type { EntryBody } from '../contract/transcript.ts';
import type { LoopDeps } from '../loop/deps.ts';
import { agentTool } from '../tools/agent.ts';
import { askUserQuestionTool } from '../tools/ask-user-question.ts';
import { enterPlanModeTool } from '../tools/enter-plan-mode.ts';
import { exitPlanModeTool } from '../tools/exit-plan-mode.ts';
import { listResourcesTool, readResourceTool } from '../tools/mcp-resources.ts';
import { skillTool } from '../tools/skill.ts';
import { checkCommand } from './check-command.ts';
import { createCoreTools } from './core-tools.ts';
import { createFileHistory, type FileHistory } from './file-history.ts';
import type { House } from './house.ts';
import type { Tree } from './open-tree.ts';
import { planFiles } from './plan-files.ts';
import { createTeamHouse, swarmsOn, type TeamHouse } from './team-tools.ts';
import { searchTools, webTools } from './web-tools.ts';
import { createWorktreeHouse, type WorktreeHouse } from './worktree-house.ts';
import { mergeDesk } from './worktrees-here.ts';

export interface Toolset {
  /** What a session is offered: an agent never more than those above it. */
  tools(state: SessionState): readonly Tool[];
  /** Tools that the model's provider runs. */
  serverTools(state: SessionState): readonly Readonly<Record<string, unknown>>[];
  readonly checkpoint: LoopDeps['checkpoint'];
  readonly foresee: FileHistory['foresee'];
  readonly planFile: LoopDeps['planFile'];
  /** Tasks, mail and teams. */
  readonly team: TeamHouse;
  readonly worktrees: WorktreeHouse;
  /** What /worktrees stands on. */
  readonly shelf: WorktreeShelf;
  readonly checkpoints: FileHistory['checkpoints'];
  /** Why a tool that exists is not offered. */
  withheld(tool: string, state: SessionState): string | undefined;
  /** Open tasks, running agents and commands. */
  ledger(state: SessionState): Promise<readonly string[]>;
  /** What runs in the background, as hooks are told it. */
  backgroundTasks(): readonly { readonly id: string; readonly [field: string]: unknown }[];
  /** Where a child works. */
  place(
    request: SpawnRequest,
    definition: AgentDefinition,
    id: SessionId,
  ): Promise<Place | { readonly refused: string }>;
  close(): Promise<void>;
}

export interface ToolsetDeps {
  readonly house: House;
  agents(): AgentHost;
  readonly lineage: Tree['lineage'];
  readonly brought: Tree['brought'];
  /** The scope of hooks of an open conversation of this tree. */
  scopeOf(session: SessionId): HookScope | undefined;
  /** A task list was changed here. */
  tasksChanged(list: string): void;
  readonly mailbox: Mailbox;
  /** A person sits before it. */
  readonly interactive: boolean;
  rootState(): SessionState;
  notice(text: string): void;
  /** Records in the transcript of a conversation of this tree. */
  record(session: SessionId, body: EntryBody): Promise<void>;
}

export const createToolset = ({
  house,
  mailbox,
  agents,
  lineage,
  brought,
  record,
  scopeOf,
  tasksChanged,
  interactive,
  rootState,
  notice,
}: ToolsetDeps): Toolset => {
  const { world, gate, models, library, servers } = house;
  const { hooks } = house.hookHouse;
  const core = createCoreTools({
    world,
    gate,
    sandboxed: house.commands,
    outputs: house.outputs,
    mailbox,
    agents,
    record,
  });
  const only = world.flags.tools?.map(canonicalName);
  const extra = house.structured ? [house.structured.tool] : [];
  const searches = only === undefined || only.includes('WebSearch');
  const plans = planFiles(world);
  const team = createTeamHouse({ world, hooks, agents, scopeOf, changed: tasksChanged });
  const worktrees = createWorktreeHouse({
    world,
    hooks,
    nextPlace: house.nextPlace,
    scopeOf,
    interactive,
  });
  const outputs = () => house.outputs(rootState());
  const files = createFileHistory(world, outputs, notice);
  const desk = mergeDesk(worktrees.here, checkCommand(world, outputs));
  const all: readonly Tool[] = [
    ...core.tools.map(files.watched),
    askUserQuestionTool(),
    enterPlanModeTool(plans.path),
    exitPlanModeTool(plans, team.approvals),
    ...webTools(world, house.ask),
    ...team.tools,
    agentTool({
      agents,
      definitions: library.agents,
      swarms: swarmsOn(world.env(), world.loaded().settings.agentSwarms),
    }),
    skillTool({ ...library.calls, agents }),
    ...worktrees.tools,
    ...extra,
  ];
  const remote = () => servers.servers;
  const held = [listResourcesTool(remote), readResourceTool(remote)];
  /** Our own first, so that what servers bring or take leaves the bytes before it as they are. */
  const offered = (): readonly Tool[] =>
    [...all, ...(remote().states().length > 0 ? held : []), ...remote().tools().map(files.watched)].filter(
      (tool) => only === undefined || only.includes(tool.schema.name) || extra.includes(tool),
    );
  const shown = (tool: Tool, state: SessionState, line: readonly AgentDefinition[]) =>
    mayHave(state, line, tool.schema.name) &&
    !gate.hides(tool.schema.name, state) &&
    team.withheld(tool.schema.name, state) === undefined;
  return {
    tools(state) {
      const line = lineage(state);
      const theirs = brought(state)
        .flatMap((servers) => servers.tools())
        .map(files.watched);
      const own = new Set(theirs.map((tool) => tool.schema.name));
      return [...offered().filter((tool) => !own.has(tool.schema.name)), ...theirs].filter((tool) =>
        shown(tool, state, line),
      );
    },
    serverTools: (state) =>
      mayHave(state, lineage(state), 'WebSearch') ? searchTools({ models, gate }, searches, state) : [],
    checkpoint: files.checkpoint,
    foresee: (event, stateOf) => {
      core.foresee(event);
      files.foresee(event, stateOf);
    },
    planFile: plans.path,
    team,
    worktrees,
    shelf: { service: worktrees.service, desk },
    checkpoints: files.checkpoints,
    withheld: team.withheld,
    backgroundTasks: () =>
      core.running().map(({ id, kind, label, status, outputFile }) => ({
        id,
        type: kind === 'command' ? 'shell' : 'agent',
        status,
        description: label,
        output_file: outputFile,
      })),
    ledger: async (state) => [...(await team.ledger(state)), ...core.ledger(state)],
    async place(request, definition, id) {
      const isolation = request.isolation ?? (request.cwd === undefined ? definition.isolation : undefined);
      if (isolation === 'worktree') return await worktrees.place(request, definition, id);
      return {
        cwd: request.cwd ?? request.parent.cwd,
        checkout: request.parent.checkout,
        leave: async () => undefined,
      };
    },
    async close() {
      await core.close();
      await files.checkpoints?.settled();
    },
  };
};
