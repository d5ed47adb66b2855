/** What all conversations of one run share: models, rules, hooks, instructions. Built once; `/clear` and `/resume` open new roots in it. */

import { join } from 'node:path';
import type { AgentDefinition } from '../contract/agent.ts';
import type { HookScope } from '../contract/hook.ts';
import type { TextBlock } from '../contract/message.ts';
import type { Effort } from '../contract/model.ts';
import type { SessionState } from '../contract/state.ts';
import type { Mail } from '../contract/store.ts';
import type { Tool } from '../contract/tool.ts';
import { agentReminder } from '../lib/agent-mention.ts';
import { reminder } from '../lib/reminder.ts';
import type { LoopDeps, Rendered } from '../loop/deps.ts';
import { createGovernor, type Governor } from '../loop/governor.ts';
import { thinkingDefault } from '../model/thinking.ts';
import { memoryOf } from './agent-memory.ts';
import { askModel, type ModelAnswer, type ModelQuestion } from './ask-model.ts';
import { type Commands, createCommands, sandboxTrouble } from './command-box.ts';
import { mentionDeps, mentioned, mentionsIn } from './expand-mentions.ts';
import { createNews, type Surroundings } from './facts.ts';
import { createGate, type Gate } from './gate.ts';
import { branchOf, isRepository } from './git-facts.ts';
import { createHookHouse, type HookHouse } from './hook-house.ts';
import { createInstructions, type Instructions } from './instructions.ts';
import { createLibrary, type Library } from './library.ts';
import type { Models } from './models.ts';
import { createNextPlace, type NextPlace } from './next-place.ts';
import { createOpenTree, type OpenTree, type Tree } from './open-tree.ts';
import { openingBlocks, promptFlags, systemBlocks } from './openings.ts';
import { openPlugins, type PluginHouse } from './plugin-house.ts';
import { renderMail } from './render-mail.ts';
import { createSaving, type Saving } from './saving.ts';
import { createServerHouse, type ServerHouse } from './server-house.ts';
import { serverPrompts } from './server-prompts.ts';
import { createServerWords } from './server-words.ts';
import { verifyWith } from './verifier.ts';
import { chosenVoice, type Voice } from './voice.ts';
import type { World } from './world.ts';

export interface House {
  readonly world: World;
  readonly models: Models;
  readonly gate: Gate;
  /** All agents wait together when the service asks for it. */
  readonly governor: Governor;
  /** Said at the start: a sandbox is wished for and there is none. */
  readonly withoutSandbox?: string;
  /** How commands of the model run. */
  readonly commands: Commands;
  readonly hookHouse: HookHouse;
  readonly instructions: Instructions;
  /** Skills, agents and command files. */
  readonly library: Library;
  readonly effort?: Effort;
  readonly voice: Voice;
  /** Name of the tool that ends a run with structured output. */
  readonly endsWith?: string;
  thinkingFor(model: string): number;
  readonly compactAt: LoopDeps['autoCompact'];
  /** `who` talks: the main conversation may be an agent too. */
  system(definition: AgentDefinition | undefined, who?: 'main' | 'child'): readonly TextBlock[];
  opening(state: SessionState, reason: 'start' | 'compact', at: HookScope): Promise<readonly TextBlock[]>;
  news(state: SessionState, at: HookScope): Promise<readonly string[]>;
  render(mail: Mail, state: SessionState, signal: AbortSignal): Promise<Rendered>;
  readonly saving: Saving;
  readonly nextPlace: NextPlace;
  outputs(state: SessionState): Promise<string>;
  /** Tools of this run beside the built-in ones. */
  readonly extraTools: readonly Tool[];
  /** How long a run without a person waits for background agents. */
  readonly waitCeilingMs: number;
  readonly servers: ServerHouse;
  readonly plugins: PluginHouse;
  /** What belongs to the conversation now open. */
  readonly open: OpenTree;
  /** One question to a model, on behalf of a session: waits with all others, and counts. */
  ask(state: SessionState, question: ModelQuestion): Promise<ModelAnswer>;
  close(): Promise<void>;
}

export interface HouseWish {
  readonly world: World;
  readonly models: Models;
  readonly endsWith?: string;
  readonly tools?: readonly Tool[];
  /** Says something that happened by itself; absent where nobody is there. */
  tell?(text: string): void;
}

/** A question to a model where no conversation is open. */
const alone: Tree['aside'] = { emit: () => undefined, record: async () => undefined, money: () => false };

/** Share of the window at which a conversation is compacted by itself. */
const compactShare = 0.92;

export const createHouse = async ({
  world,
  models,
  endsWith,
  tools,
  tell = () => undefined,
}: HouseWish): Promise<House> => {
  const { flags, host } = world;
  const settings = () => world.loaded().settings;
  const around: Surroundings = {
    platform: host.platform,
    shell: 'bash',
    now: () => new Date(),
    branch: branchOf,
    isRepository,
  };
  const news = createNews(around);
  const [prompts, voice] = await Promise.all([promptFlags(flags), chosenVoice(world)]);
  const instructions = createInstructions(world);
  const outputs = (state: SessionState) => world.stores.transcripts.outputs(state.root, world.project);
  const plugins = await openPlugins({
    cwd: world.cwd,
    project: world.project,
    trusted: world.trust.trusted,
    loaded: world.loaded,
    flagged: flags.pluginDir ?? [],
    stands: world.accepted.rootStands,
  });
  const open = createOpenTree();
  const lineage = (state: SessionState) => open.now()?.lineage(state) ?? [];
  const directories = () => open.now()?.state()?.directories ?? flags.addDir ?? [];
  const ask: House['ask'] = (state, question) =>
    askModel({ models, ...(open.now()?.aside ?? alone) }, state, question);
  const library = createLibrary({
    plugins,
    directories,
    world,
    models,
    outputs,
    commands: () => house.commands,
    judge: (call, state) => house.gate.judge(call, state),
    hides: (tool, state) => house.gate.hides(tool, state),
    lineage,
    running() {
      const tree = open.now();
      if (!tree) throw new Error('No conversation is open yet.');
      return tree.agents;
    },
    prompts: serverPrompts(() => house.servers.servers),
  });
  const hookHouse: HookHouse = createHookHouse({
    world,
    models,
    plugins: library.hookSources,
    ask,
    async verify(question) {
      const tree = open.now();
      return tree ? verifyWith(tree.agents)(question) : { failed: 'No verifying agent can run yet.' };
    },
    outputs,
  });
  const saving = createSaving(world);
  const servers = createServerHouse({
    world,
    ask: async (question, signal) => open.now()?.askPerson(question, signal),
    async outputs() {
      const state = open.now()?.state();
      return state && outputs(state);
    },
    plugins: plugins.servers,
    directories,
    tell,
  });
  const words = createServerWords({
    servers: (state) => [
      ...(open.now()?.brought(state) ?? []).flatMap((own) => own.states()),
      ...servers.servers.states(),
    ],
    tools: (state) => (open.now()?.tools(state) ?? []).map((tool) => tool.schema.name),
  });
  const commands = createCommands(world, () => house.gate);
  // Before the first command is judged it is known whether there is one.
  const withoutSandbox = await sandboxTrouble(commands.sandbox);
  const mentions = mentionDeps(world, (call, state) => house.gate.judge(call, state), servers);
  const house: House = {
    commands,
    withoutSandbox,
    world,
    models,
    hookHouse,
    instructions,
    library,
    servers,
    plugins,
    governor: createGovernor(() => Date.now()),
    endsWith,
    voice,
    effort: flags.effort ?? settings().effortLevel,
    gate: createGate({
      home: world.homes.user ?? '/',
      flags,
      trusted: world.trust.trusted,
      loaded: world.loaded,
      extra: (state) => library.grantedRules(state),
      narrowed: (state, tool) => library.narrowed(state, tool),
      memory: (state) => {
        const [own] = lineage(state);
        return own && memoryOf(own, world);
      },
      sandboxed: (command, state) => house.commands.spared(command, state),
      unboxed: (command, state) => house.commands.unboxed(command, state),
      bound: (state) => open.now()?.bound(state) ?? state,
      outputs: (state) =>
        join(world.stores.transcripts.locate(state.root, world.project).replace(/\.jsonl$/, ''), 'outputs'),
    }),
    thinkingFor: (model) =>
      settings().alwaysThinkingEnabled === false ? 0 : thinkingDefault(model, world.env()),
    compactAt(model) {
      if (settings().autoCompactEnabled === false || world.env().DISABLE_AUTO_COMPACT) return undefined;
      const percent = Number(world.env().CLAUDE_AUTOCOMPACT_PCT_OVERRIDE);
      const window = settings().autoCompactWindow;
      if (window) return Math.min(compactShare, window / models.facts(model).window);
      return percent > 0 && percent <= 100 ? percent / 100 : compactShare;
    },
    system: (definition, who) =>
      systemBlocks(
        { ...prompts, ...voice },
        definition && {
          ...definition,
          prompt: [definition.prompt, ...library.preloaded(definition)].join('\n\n'),
        },
        who,
      ),
    async opening(state, reason, at) {
      news.opened(state);
      const files = await instructions.load(state, reason, hookHouse.hooks, at);
      return openingBlocks(state, around, files, [...(await library.listings(state)), ...words.all(state)]);
    },
    news: async (state, at) => [
      ...news.changed(state),
      ...(await instructions.touched(state, hookHouse.hooks, at)),
      ...(await library.news(state)),
      ...words.news(state),
    ],
    async render(mail, state, signal) {
      const content = renderMail(mail);
      if (mail.origin.kind !== 'person') return { content, effects: [] };
      const names = mail.mentions ?? mentionsIn(mail.text);
      const called = agentReminder(
        names.map((name) => (/\s/.test(name) ? `@"${name}"` : `@${name}`)).join(' '),
        library.agents().map((agent) => agent.name),
      );
      const brought = await mentioned(names, state, mentions, signal);
      return {
        content: [...content, ...brought.blocks, ...(called === undefined ? [] : [reminder(called)])],
        effects: brought.effects,
      };
    },
    nextPlace: createNextPlace(flags.worktree),
    saving,
    outputs,
    open,
    extraTools: tools ?? [],
    waitCeilingMs: Number(world.env().CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS) || 600_000,
    ask,
    async close() {
      await Promise.all([hookHouse.hooks.close(), servers.close(), commands.sandbox.close()]);
    },
  };
  return house;
};
