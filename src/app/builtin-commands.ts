/** The slash commands that come with the program, each from its own file. */
import { addDirCommand } from '../commands/add-dir.ts';
import { agentsCommand } from '../commands/agents.ts';
import { backgroundCommand, subtaskCommand } from '../commands/background.ts';
import { branchCommand } from '../commands/branch.ts';
import { btwCommand, recapCommand } from '../commands/btw.ts';
import { cdCommand } from '../commands/cd.ts';
import { clearCommand } from '../commands/clear.ts';
import { compactCommand } from '../commands/compact.ts';
import { configCommand } from '../commands/config.ts';
import { contextCommand } from '../commands/context.ts';
import { copyCommand } from '../commands/copy.ts';
import { costCommand } from '../commands/cost.ts';
import { diffCommand } from '../commands/diff.ts';
import { doctorCommand } from '../commands/doctor.ts';
import { effortCommand } from '../commands/effort.ts';
import { exitCommand } from '../commands/exit.ts';
import { exportCommand } from '../commands/export.ts';
import { feedbackCommand } from '../commands/feedback.ts';
import { helpCommand } from '../commands/help.ts';
import { hooksCommand } from '../commands/hooks.ts';
import { initCommand } from '../commands/init.ts';
import { keybindingsCommand } from '../commands/keybindings.ts';
import { loginCommand, logoutCommand } from '../commands/login.ts';
import { mcpCommand } from '../commands/mcp.ts';
import { memoryCommand } from '../commands/memory.ts';
import { modelCommand } from '../commands/model.ts';
import { permissionsCommand } from '../commands/permissions.ts';
import { planCommand } from '../commands/plan.ts';
import { pluginCommand } from '../commands/plugin.ts';
import { releaseNotesCommand } from '../commands/release-notes.ts';
import { renameCommand } from '../commands/rename.ts';
import { resumeCommand } from '../commands/resume.ts';
import { rewindCommand } from '../commands/rewind.ts';
import { sandboxCommand } from '../commands/sandbox.ts';
import { skillsCommand } from '../commands/skills.ts';
import { statusCommand } from '../commands/status.ts';
import { statuslineCommand } from '../commands/statusline.ts';
import { tasksCommand } from '../commands/tasks.ts';
import { teamCommand } from '../commands/team.ts';
import { terminalSetupCommand } from '../commands/terminal-setup.ts';
import { worktreesCommand } from '../commands/worktrees.ts';
import type { CommandRegistry, SlashCommand } from '../contract/command.ts';
import type { SessionState } from '../contract/state.ts';
import { hookRows } from '../hooks/listing.ts';
import { recordedRuns } from '../hooks/trial.ts';
import { knownModels } from '../model/facts.ts';
import { effortsOf } from '../model/thinking.ts';
import { tierNames } from '../model/tiers.ts';
import { startKeybindings } from '../settings/keybindings.ts';
import { clipboard, findDirectory, isWorkingDirectory, saveExport } from './command-ports.ts';
import { examine } from './doctor.ts';
import type { House } from './house.ts';
import { conversationsOf } from './past.ts';
import { rewindDesk } from './rewind-desk.ts';
import { sandboxFacts } from './sandbox-facts.ts';
import { configShelf, memoryShelf, ruleShelf, signInShelf } from './settings-shelves.ts';
import { agentShelf, pluginShelf, skillShelf } from './shelves.ts';
import { createSlash, type Slash } from './slash.ts';
import { machineFacts, statusFacts } from './status-facts.ts';
import { ownKeybindings, readBindings } from './typing-habits.ts';
import { VERSION } from './version.ts';
import { windowUse } from './window-use.ts';

/** What only a front with a terminal has. */
export interface Desk {
  write(bytes: string): void;
  /** Opens a file in the person's editor; a sentence when that cannot be done. */
  edit?(path: string): Promise<string | undefined>;
  /** Reads the person's keys again; answers what is wrong with them. */
  reloadKeys?(): Promise<readonly string[]>;
  /** Asks the person about what changed in the project since it was trusted; nobody accepts it otherwise. */
  acceptChanges?(): Promise<boolean>;
  readonly more: readonly SlashCommand[];
}

const builtinCommands = (
  house: House,
  registry: () => CommandRegistry,
  desk: Desk,
): readonly SlashCommand[] => {
  const { world, models, briefing, commands, gate, library, servers, open } = house;
  const find = (text: string, cwd: string) => findDirectory(text, cwd, world.homes.user);
  const signIn = signInShelf(world, models);
  const sight = () => open.now()?.sight;
  const teamwork = () => open.now()?.agents.teamwork;
  const offered = (state: SessionState) => open.now()?.tools(state) ?? [];
  const rewinding = rewindDesk(() => open.now()?.history);
  const acceptChanges = desk.acceptChanges ?? (async () => false);
  return [
    helpCommand(registry),
    clearCommand,
    compactCommand,
    contextCommand((state) => windowUse({ models, briefing, offered }, state)),
    costCommand({ cost: models.costOf, budgets: () => sight()?.budgets() ?? [] }),
    effortCommand(effortsOf),
    modelCommand({
      list: () => [
        ...tierNames.map((name) => ({ name, id: models.id(name) })),
        ...knownModels(models.sources.facts).map((id) => ({ name: id, id })),
      ],
      resolve: (name) => (models.known(name) ? models.id(name) : undefined),
    }),
    planCommand,
    resumeCommand(conversationsOf(world)),
    renameCommand,
    branchCommand,
    btwCommand,
    recapCommand,
    backgroundCommand,
    subtaskCommand,
    exportCommand(saveExport),
    copyCommand(clipboard(desk.write, world.env())),
    initCommand,
    addDirCommand(find),
    statusCommand((place) => statusFacts(world, models, commands.sandbox, place)),
    feedbackCommand(async (place) => [
      ...(await statusFacts(world, models, commands.sandbox, place)),
      ...machineFacts(world),
    ]),
    releaseNotesCommand(VERSION),
    terminalSetupCommand(world.host.env),
    sandboxCommand((state) => sandboxFacts(world.loaded(), commands.sandbox, gate.bound(state))),
    tasksCommand(world.stores.tasks, () => new Date()),
    teamCommand({
      ...world.stores,
      look: (team) => sight()?.look(team),
      budgets: () => sight()?.budgets() ?? [],
      life: {
        dissolve: async (team) => await teamwork()?.life.dissolve(team),
        follow: async (lead, to) => await teamwork()?.life.follow(lead, to),
      },
      recover: async () => (await teamwork()?.recover()) ?? [],
    }),
    skillsCommand(() => skillShelf(library)),
    agentsCommand(() => agentShelf(world, library, desk.edit)),
    pluginCommand(pluginShelf(house, acceptChanges)),
    mcpCommand(() => servers.servers, servers.problems, acceptChanges),
    cdCommand(find, isWorkingDirectory),
    memoryCommand(memoryShelf(world, house.instructions, desk.edit)),
    keybindingsCommand({
      file: ownKeybindings(world),
      start: startKeybindings,
      ...(desk.edit ? { edit: desk.edit } : {}),
      check: desk.reloadKeys ?? (async () => (await readBindings(world)).problems),
    }),
    configCommand(configShelf(world, house.saving, house.voice)),
    permissionsCommand(ruleShelf(world, gate, house.saving)),
    hooksCommand({
      lines: () => hookRows(house.hookHouse.sources(), house.hookHouse.problems()),
      runs: async (session) => recordedRuns(await session.entries()),
    }),
    statuslineCommand(() => {
      const source = world.loaded().sources['statusLine.command'] ?? world.loaded().sources.statusLine;
      const line = world.loaded().settings.statusLine;
      return line && { command: line.command, file: source?.file ?? 'settings' };
    }, world.homes.own && `${world.homes.own}/settings.json`),
    doctorCommand(() => examine(house)),
    loginCommand(signIn),
    logoutCommand(signIn),
    rewindCommand(rewinding),
    diffCommand(rewinding),
    worktreesCommand(() => open.now()?.worktrees),
    ...desk.more,
    exitCommand,
  ];
};

export const slashOf = (house: House, desk: Desk): Slash =>
  createSlash({
    builtin: (registry) => builtinCommands(house, registry, desk),
    found: house.library.commands,
    hooks: house.hookHouse.hooks,
  });
