/** Slash commands of a running screen: assembled here, each in its own file. */
import { realpath, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { deliveryOf } from '../agents/mail-watch.ts';
import { addDirCommand } from '../commands/add-dir.ts';
import { agentsCommand } from '../commands/agents.ts';
import { clearCommand } from '../commands/clear.ts';
import { compactCommand } from '../commands/compact.ts';
import { contextCommand } from '../commands/context.ts';
import { copyCommand } from '../commands/copy.ts';
import { costCommand } from '../commands/cost.ts';
import { effortCommand } from '../commands/effort.ts';
import { exitCommand } from '../commands/exit.ts';
import { exportCommand } from '../commands/export.ts';
import { helpCommand } from '../commands/help.ts';
import { initCommand } from '../commands/init.ts';
import { mcpCommand } from '../commands/mcp.ts';
import { modelCommand } from '../commands/model.ts';
import { planCommand } from '../commands/plan.ts';
import { pluginCommand } from '../commands/plugin.ts';
import { createRegistry, nearest, parseCommand } from '../commands/registry.ts';
import { renameCommand } from '../commands/rename.ts';
import { resumeCommand } from '../commands/resume.ts';
import { skillsCommand } from '../commands/skills.ts';
import { statusCommand } from '../commands/status.ts';
import { tasksCommand } from '../commands/tasks.ts';
import { teamCommand } from '../commands/team.ts';
import type {
  CommandRegistry,
  CommandResult,
  CommandScreen,
  SessionSwitch,
  SlashCommand,
} from '../contract/command.ts';
import type { Session } from '../contract/session.ts';
import { knownModels } from '../model/facts.ts';
import { effortsOf } from '../model/thinking.ts';
import { tierNames } from '../model/tiers.ts';
import type { House } from './house.ts';
import { conversationsOf } from './past.ts';
import { pluginRows } from './plugin-rows.ts';
import { agentShelf, skillShelf } from './shelves.ts';
import { statusFacts } from './status-facts.ts';
import { windowUse } from './window-use.ts';

export interface Slash {
  readonly registry: CommandRegistry;
  /** Runs a line; false when it is no command and should be sent as text. */
  run(line: string, session: Session, screen: CommandScreen, then: After): Promise<boolean>;
}

/** What happens with a command's result. */
export interface After {
  send(text: string, display?: string): Promise<void>;
  switchTo(to: SessionSwitch): Promise<void>;
  exit(): void;
  failed?(text: string): void;
}

const saveExport = async (name: string | undefined, markdown: string, cwd: string) => {
  const path = resolve(
    cwd,
    name ?? `conversation-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.md`,
  );
  try {
    await writeFile(path, markdown, { flag: 'wx' });
    return { path };
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    return {
      refused: exists
        ? `${path} exists already; name another file.`
        : `${path} could not be written: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
};

const findDirectory = async (text: string, cwd: string, home: string | undefined) => {
  const path =
    text.startsWith('~') && home ? join(home, text.slice(1)) : isAbsolute(text) ? text : resolve(cwd, text);
  const found = await stat(path).catch(() => undefined);
  if (!found) return { refused: `${path} does not exist.` };
  return found.isDirectory() ? { path: await realpath(path) } : { refused: `${path} is not a directory.` };
};

/** OSC 52 through the terminal; over ssh and in tmux it may be ignored, and nobody can know. */
const clipboard =
  (write: (bytes: string) => void, env: Readonly<Record<string, string | undefined>>) =>
  async (text: string) => {
    const sequence = `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`;
    write(env.TMUX ? `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\` : sequence);
    return `Sent ${text.length} characters to the terminal's clipboard. Some terminals ignore this; if nothing arrives, use /export.`;
  };

export const createSlash = (
  house: House,
  write: (bytes: string) => void,
  more: readonly SlashCommand[],
): Slash => {
  const { models, world } = house;
  const builtin: readonly SlashCommand[] = [
    helpCommand(() => registry),
    clearCommand,
    compactCommand,
    contextCommand((state) => windowUse(house, state)),
    costCommand(models.costOf),
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
    exportCommand(saveExport),
    copyCommand(clipboard(write, world.env())),
    initCommand,
    addDirCommand((text, cwd) => findDirectory(text, cwd, world.homes.user)),
    statusCommand((place) => statusFacts(house, place)),
    tasksCommand(world.stores.tasks, () => new Date()),
    teamCommand({
      ...world.stores,
      delivery: (place, receipt) => deliveryOf({ place }, receipt),
      life: {
        dissolve: async (team) => await house.teamwork()?.life.dissolve(team),
        follow: async (lead, to) => await house.teamwork()?.life.follow(lead, to),
      },
      recover: async () => (await house.teamwork()?.recover()) ?? [],
    }),
    skillsCommand(() => skillShelf(house)),
    agentsCommand(() => agentShelf(house)),
    pluginCommand(() => pluginRows(house.plugins, world.trust.trusted)),
    mcpCommand(
      () => house.servers.servers,
      () => house.servers.problems,
    ),
    ...more,
    exitCommand,
  ];
  const registry = createRegistry(builtin, house.library.commands);

  const settle = async (result: CommandResult, screen: CommandScreen, then: After): Promise<void> => {
    switch (result.kind) {
      case 'done':
        return;
      case 'text':
        screen.print(result.text);
        if (result.failed) then.failed?.(result.text);
        return;
      case 'prompt':
        await then.send(result.text, result.display);
        return;
      case 'exit':
        then.exit();
        return;
      case 'switch':
        await then.switchTo(result.to);
    }
  };

  return {
    registry,
    async run(line, session, screen, then) {
      const parsed = parseCommand(line);
      if (!parsed) return false;
      const command = registry.find(parsed.name);
      if (!command) {
        const near = nearest(
          parsed.name,
          registry.list().map((one) => one.name),
        );
        const text = `There is no command /${parsed.name}.${near.length > 0 ? ` Did you mean ${near.map((one) => `/${one}`).join(', ')}?` : ' Type / for the list.'}`;
        screen.print(text);
        then.failed?.(text);
        return true;
      }
      await settle(await command.run(parsed.args, { session, screen }), screen, then);
      return true;
    },
  };
};
