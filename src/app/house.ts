/** What all conversations of one run share: models, rules, hooks, instructions. Built once; `/clear` and `/resume` open new roots in it. */
import { join } from 'node:path';
import { narrowings } from '../agents/derive.ts';
import type { SessionState } from '../contract/state.ts';
import { steadyNow } from '../lib/steady-now.ts';
import { createGovernor, type Governor } from '../loop/governor.ts';
import { memoryOf } from './agent-memory.ts';
import { askModel, type ModelAnswer, type ModelQuestion } from './ask-model.ts';
import { type Briefing, createBriefing } from './briefing.ts';
import { type Commands, commandEnv, openBox } from './command-box.ts';
import { mentionDeps } from './expand-mentions.ts';
import { createGate, type Gate } from './gate.ts';
import { grantedRules } from './granted-rules.ts';
import { createHookHouse, type HookHouse } from './hook-house.ts';
import { createInstructions, type Instructions } from './instructions.ts';
import { createLibrary, type Library } from './library.ts';
import { type ModelHabits, modelHabits } from './model-habits.ts';
import type { Models } from './models.ts';
import { createNextPlace, type NextPlace } from './next-place.ts';
import { createOpenTree, type OpenTree, type Tree } from './open-tree.ts';
import { promptFlags } from './openings.ts';
import { openPlugins, type PluginHouse } from './plugin-house.ts';
import { createSaving, type Saving } from './saving.ts';
import { createServerHouse, type ServerHouse } from './server-house.ts';
import { serverPrompts } from './server-prompts.ts';
import { createServerWords } from './server-words.ts';
import type { Structured } from './structured-output.ts';
import { verifyWith } from './verifier.ts';
import { type LiveVoice, liveVoice } from './voice.ts';
import type { World } from './world.ts';

export interface House {
  readonly world: World;
  readonly models: Models;
  readonly habits: ModelHabits;
  readonly voice: LiveVoice;
  readonly briefing: Briefing;
  readonly instructions: Instructions;
  /** Skills, agents and command files. */
  readonly library: Library;
  readonly plugins: PluginHouse;
  readonly servers: ServerHouse;
  readonly hookHouse: HookHouse;
  readonly gate: Gate;
  /** How commands of the model run. */
  readonly commands: Commands;
  readonly saving: Saving;
  /** All agents wait together when the service asks for it. */
  readonly governor: Governor;
  readonly nextPlace: NextPlace;
  /** The tool that ends a run with structured output. */
  readonly structured?: Structured;
  /** What belongs to the conversation now open. */
  readonly open: OpenTree;
  /** Folder for what a conversation puts aside. */
  outputs(state: SessionState): Promise<string>;
  /** One question to a model, on behalf of a session: waits with all others, and counts. */
  ask(state: SessionState, question: ModelQuestion): Promise<ModelAnswer>;
  close(): Promise<void>;
}

export interface HouseWish {
  readonly world: World;
  readonly models: Models;
  readonly structured?: Structured;
  /** Says something that happened by itself; absent where nobody is there. */
  tell?(text: string): void;
}

/** A question to a model where no conversation is open. */
const alone: Tree['aside'] = { emit: () => undefined, record: async () => undefined, money: () => false };

/** Every part stands on those before it; what only an open conversation has is asked of `open` when it is needed. */
export const createHouse = async ({ world, models, structured, tell }: HouseWish): Promise<House> => {
  const { flags, homes, trust, loaded, stores } = world;
  const [prompts, voice] = await Promise.all([promptFlags(flags), liveVoice(world)]);
  const open = createOpenTree();
  const bound = (state: SessionState) => open.now()?.bound(state) ?? state;
  const lineage = (state: SessionState) => open.now()?.lineage(state) ?? [];
  const directories = () => open.now()?.state()?.directories ?? flags.addDir ?? [];
  const outputs = (state: SessionState) => stores.transcripts.outputs(state.root, world.project);
  const ask: House['ask'] = (state, question) =>
    askModel({ models, ...(open.now()?.aside ?? alone) }, state, question);
  const plugins = await openPlugins({
    cwd: world.cwd,
    project: world.project,
    trusted: trust.trusted,
    loaded,
    flagged: flags.pluginDir ?? [],
    stands: world.accepted.rootStands,
  });
  const hookHouse = createHookHouse({
    world,
    models,
    plugins: plugins.hooks,
    ask,
    async verify(question) {
      const tree = open.now();
      return tree ? verifyWith(tree.agents)(question) : { failed: 'No verifying agent can run yet.' };
    },
    outputs,
  });
  const servers = createServerHouse({
    world,
    ask: async (question, signal) => open.now()?.askPerson(question, signal),
    async outputs() {
      const state = open.now()?.state();
      return state && outputs(state);
    },
    plugins: plugins.servers,
    directories,
    tell: tell ?? (() => undefined),
  });
  // Before the first command is judged it is known whether there is a sandbox.
  const box = await openBox(world, bound);
  const gate = createGate({
    home: homes.user ?? '/',
    flags,
    trusted: trust.trusted,
    loaded,
    extra: (state) => grantedRules(state, lineage(state)),
    narrowed: (state, tool) => narrowings(lineage(state), tool),
    memory: (state) => {
      const [own] = lineage(state);
      return own && memoryOf(own, world);
    },
    sandboxed: box.spared,
    unboxed: box.unboxed,
    bound,
    outputs: (state) =>
      join(stores.transcripts.locate(state.root, world.project).replace(/\.jsonl$/, ''), 'outputs'),
  });
  const commands: Commands = { ...box, env: commandEnv(world, gate.onlyReads) };
  const library = createLibrary({
    plugins,
    directories,
    world,
    models,
    outputs,
    commands,
    judge: gate.judge,
    hides: gate.hides,
    lineage,
    running() {
      const tree = open.now();
      if (!tree) throw new Error('No conversation is open yet.');
      return tree.agents;
    },
    prompts: serverPrompts(() => servers.servers),
  });
  const instructions = createInstructions(world);
  return {
    world,
    models,
    habits: modelHabits(world, models),
    voice,
    briefing: createBriefing({
      world,
      parts: () => ({ ...prompts, ...voice }),
      instructions,
      hooks: hookHouse.hooks,
      library,
      words: createServerWords({
        servers: (state) => [
          ...(open.now()?.brought(state) ?? []).flatMap((own) => own.states()),
          ...servers.servers.states(),
        ],
        tools: (state) => (open.now()?.tools(state) ?? []).map((tool) => tool.schema.name),
      }),
      mentions: mentionDeps(world, gate.judge, servers),
    }),
    instructions,
    library,
    plugins,
    servers,
    hookHouse,
    gate,
    commands,
    saving: createSaving(world),
    governor: createGovernor(steadyNow),
    nextPlace: createNextPlace(flags.worktree),
    ...(structured ? { structured } : {}),
    open,
    outputs,
    ask,
    async close() {
      await Promise.all([hookHouse.hooks.close(), servers.close(), box.sandbox.close()]);
    },
  };
};
