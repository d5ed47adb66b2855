/** Skills, agents and command files of this run, and what they bring. */

import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mayHave } from '../agents/derive.ts';
import { type Catalog, createCatalog } from '../catalog/catalog.ts';
import { flagAgents } from '../catalog/flag-agents.ts';
import { inView } from '../catalog/in-view.ts';
import { agentListing, listingBudget, listingNews, skillListing, skillsAgain } from '../catalog/listing.ts';
import { createSkills, type PromptSource } from '../catalog/skill-set.ts';
import { type SkillCommandDeps, skillCommands } from '../commands/skill-command.ts';
import type { AgentDefinition, Agents } from '../contract/agent.ts';
import type { SlashCommand } from '../contract/command.ts';
import type { HookSource } from '../contract/hook.ts';
import type { Judgement } from '../contract/permission.ts';
import type { Skills } from '../contract/skill.ts';
import type { SessionState } from '../contract/state.ts';
import { canonicalName } from '../contract/tool-names.ts';
import { parseHooks } from '../hooks/parse.ts';
import { readRegularText } from '../lib/regular-file.ts';
import type { JudgedCall } from '../loop/deps.ts';
import { attachments } from './attachments.ts';
import type { Commands } from './command-box.ts';
import { mentioned } from './expand-mentions.ts';
import { UsageError } from './flags.ts';
import { inlineShell } from './inline-shell.ts';
import type { Models } from './models.ts';
import { packageRoot } from './package-root.ts';
import { type PluginHouse, pluginData } from './plugin-house.ts';
import { whereaboutsOf } from './sub/definitions.ts';
import type { World } from './world.ts';

export interface Library {
  /** Everything was read once. */
  ready(): Promise<void>;
  readonly catalog: Catalog;
  readonly skills: Skills;
  /** What the skill tool and typed skills need. */
  readonly calls: SkillCommandDeps;
  agents(): readonly AgentDefinition[];
  skillNames(): readonly string[];
  /** Skills and command files as slash commands. */
  commands(): readonly SlashCommand[];
  /** Looks whether definitions came, went or changed, as soon as it is time to; true when they did. */
  fresh(): Promise<boolean>;
  /** Looks now, before a request or something else that goes by them; thousands are not read every time. */
  upToDate(): Promise<void>;
  /** Listings of agents and skills for the model. */
  listings(state: SessionState): Promise<readonly string[]>;
  /** Listings again when they changed since they were told. */
  news(state: SessionState): Promise<readonly string[]>;
  /** Hooks of the skills that were run in this session. */
  skillHooks(state: SessionState): readonly HookSource[];
  /** Full texts of the skills that an agent begins with. */
  preloaded(definition: AgentDefinition): readonly string[];
  read(path: string): Promise<string | undefined>;
}

export interface LibraryDeps {
  readonly world: World;
  readonly models: Models;
  readonly commands: Pick<Commands, 'box' | 'env'>;
  judge(call: JudgedCall, state: SessionState): Judgement;
  outputs(state: SessionState): Promise<string>;
  /** Agents of the conversation now open. */
  running(): Agents;
  readonly plugins: PluginHouse;
  /** Working directories of the conversation now open. */
  directories(): readonly string[];
  /** Prompts of tool servers. */
  readonly prompts: PromptSource;
  /** The definitions of a session's agent and of those above it. */
  lineage(state: SessionState): readonly AgentDefinition[];
  /** Deny rules take a tool from the model's list. */
  hides(tool: string, state: SessionState): boolean;
}

/** Files are looked at again while somebody types, for at most a twentieth of the time. */
const REST = 20;
const LEAST_MS = 100;
const MOST_MS = 3000;
/** And before each request; where there are more definitions than this, for at most a quarter of the time. */
const MANY = 500;
const REST_OF_MANY = 3;

export const createLibrary = (deps: LibraryDeps): Library => {
  const { world, models } = deps;
  const settings = () => world.loaded().settings;
  const given = world.flags.agents === undefined ? [] : flagAgents(world.flags.agents);
  if ('refused' in given) throw new UsageError(given.refused);
  const { trustsFile: trusted } = world.accepted;
  const catalog = createCatalog({
    where: () =>
      whereaboutsOf(
        {
          homes: world.homes,
          home: world.homes.user,
          cwd: world.cwd,
          project: world.project,
          loaded: world.loaded(),
        },
        {
          builtin: packageRoot(),
          directories: [...deps.directories(), ...(settings().permissions?.additionalDirectories ?? [])].map(
            (dir) => resolve(world.cwd, dir),
          ),
          plugins: deps.plugins.plugins(),
        },
      ),
    flagAgents: world.flags.agents,
    already: world.already,
    trusted,
    parseHooks,
    overrides: () => settings().skillOverrides ?? {},
    bundledSkills: () => settings().disableBundledSkills !== true,
    beforeReading: world.accepted.attend,
  });
  const skills = createSkills({
    catalog,
    prompts: deps.prompts,
    // What changed since the folder was trusted waits for the answer (ruling 8).
    trusted,
    shellAllowed: () => settings().disableSkillShellExecution !== true,
    runShell: inlineShell(deps),
    pluginData: (root) => pluginData(world.homes, root),
    attach: async (paths, from) =>
      (await mentioned(paths, from.state, attachments(world, deps.judge, from), new AbortController().signal))
        .blocks,
  });
  const calls: SkillCommandDeps = {
    skills: () => skills,
    agents: deps.running,
    modelId: (name, state) => (models.known(name) ? models.id(name, state.model) : undefined),
  };

  let reading: Promise<void> | undefined;
  let last = { ended: performance.now(), took: 0 };
  /** Another one whenever definitions came, went or changed. */
  let version = 0;
  const restOf = (why: 'typing' | 'request'): number => {
    if (why === 'typing') return Math.min(MOST_MS, Math.max(LEAST_MS, REST * last.took));
    return catalog.skills().length + catalog.agents().length > MANY ? REST_OF_MANY * last.took : 0;
  };
  const timed = async (read: () => Promise<boolean>): Promise<void> => {
    const began = performance.now();
    if (await read()) version += 1;
    const ended = performance.now();
    last = { ended, took: ended - began };
  };
  const readOnce = (): Promise<void> => {
    reading ??= timed(async () => {
      const { added, removed, changed } = await catalog.refresh();
      return added.length + removed.length + changed.length > 0;
    }).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  let first: Promise<void> | undefined;
  const ready = (): Promise<void> => {
    first ??= timed(() => catalog.ready().then(() => true));
    return first;
  };
  /** Reads again unless the last reading is new for so many definitions. */
  const upToDate = async (): Promise<void> => {
    await ready();
    if (reading || performance.now() >= last.ended + restOf('request')) await readOnce();
  };
  let later: Promise<void> | undefined;
  /** While somebody types: as soon as it is time to. */
  const freshLater = async (): Promise<boolean> => {
    const before = version;
    await ready();
    if (version !== before) return true;
    later ??= sleep(Math.max(0, last.ended + restOf('typing') - performance.now()), undefined, { ref: false })
      .then(readOnce)
      .finally(() => {
        later = undefined;
      });
    await later;
    return version !== before;
  };

  /** Whether a session has the tool at all: nobody reads a list of what they cannot start. */
  const has = (tool: string, state: SessionState): boolean => {
    const only = world.flags.tools?.map(canonicalName);
    return (
      (only === undefined || only.includes(tool)) &&
      !deps.hides(tool, state) &&
      mayHave(state, deps.lineage(state), tool)
    );
  };

  const told = new Map<string, string>();
  const touched = new Set<string>();
  const listing = (state: SessionState): readonly string[] => {
    const budget = listingBudget(models.facts(state.model).window, settings().skillListingBudgetFraction);
    return [
      ...(has('AgentTool', state) ? [agentListing(catalog.agents(), 2 * budget)] : []),
      ...(has('SkillTool', state)
        ? [skillListing(inView(skills.list(), Object.keys(state.seen), state.project), budget)]
        : []),
    ].filter((text) => text !== undefined);
  };

  return {
    catalog,
    skills,
    calls,
    ready,
    agents: catalog.agents,
    skillNames: () => skills.list().map((skill) => skill.slash),
    commands: () => skillCommands(calls),
    fresh: freshLater,
    upToDate,
    async listings(state) {
      await upToDate();
      const texts = listing(state);
      told.set(state.id, texts.join('\n'));
      return [...texts, ...skillsAgain(state.messages.length === 0 ? [] : (state.skills ?? []))];
    },
    async news(state) {
      await upToDate();
      for (const file of Object.keys(state.seen).filter((one) => !touched.has(one))) {
        touched.add(file);
        await catalog.touch(file);
      }
      const now = listing(state).join('\n');
      const before = told.get(state.id);
      told.set(state.id, now);
      return before === undefined ? [] : listingNews(before, now);
    },
    skillHooks: (state) => (state.skills ?? []).flatMap((used) => skills.find(used.name)?.hooks ?? []),
    preloaded: (definition) => catalog.bodies(definition.skills ?? []),
    read: async (path) => readRegularText(path).catch(() => undefined),
  };
};
