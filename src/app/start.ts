/** From flags and settings to how a conversation begins. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionSummary } from '../contract/store.ts';
import { unpricedText } from '../loop/budget.ts';
import type { Limits } from '../loop/purse.ts';
import { PRACTICE_MODEL } from '../practice/model-id.ts';
import { type Flags, UsageError } from './flags.ts';
import type { HookHouse } from './hook-house.ts';
import type { Library } from './library.ts';
import { preludeOf } from './lifecycle.ts';
import { modeFor } from './mode-choice.ts';
import type { Models } from './models.ts';
import { NotFound } from './not-found.ts';
import type { Root } from './root.ts';
import type { ServerHouse } from './server-house.ts';
import type { World } from './world.ts';

export const modelOf = (world: World, models: Models, flags: Flags): string => {
  if (models.practice) return PRACTICE_MODEL;
  return models.id(flags.model ?? world.env().ANTHROPIC_MODEL ?? world.loaded().settings.model ?? 'medium');
};

export const limitsOf = (world: World, flags: Flags): Limits => {
  const budget = world.loaded().settings.limits?.session ?? {};
  const usd = flags.maxBudgetUsd ?? budget.usd;
  const tokens = flags.maxTokens ?? budget.tokens;
  const turns = flags.maxTurns ?? budget.turns;
  const minutes = flags.maxMinutes ?? budget.minutes;
  return {
    ...(usd === undefined ? {} : { maxCostUsd: usd }),
    ...(tokens === undefined ? {} : { maxTokens: tokens }),
    ...(turns === undefined ? {} : { maxTurns: turns }),
    ...(minutes === undefined ? {} : { maxMinutes: minutes }),
  };
};

/** A money limit needs the price of every model that may answer (ruling 48). */
const checkBudget = (models: Models, limits: Limits, model: string): void => {
  if (limits.maxCostUsd === undefined) return;
  const unpriced = [model, ...models.fallbacks].find((id) => models.facts(id).price === undefined);
  if (unpriced !== undefined) throw new UsageError(unpricedText(unpriced));
};

/** `--agent NAME`, or the setting: who answers instead of the main agent. */
const definitionOf = async (
  world: World,
  library: Library,
  flags: Flags,
): Promise<AgentDefinition | undefined> => {
  const name = flags.agent ?? world.loaded().settings.agent;
  if (name === undefined) return undefined;
  await library.ready();
  const all = library.agents();
  const found = all.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (!found)
    throw new NotFound(
      `There is no agent "${name}". The agents are: ${all.map((one) => one.name).join(', ')}.`,
    );
  return found;
};

interface StartDeps {
  readonly world: World;
  readonly models: Models;
  readonly library: Library;
  readonly servers: ServerHouse;
  readonly hookHouse: HookHouse;
}

/** What flags and settings say of a conversation that begins or goes on. */
export const wishOf = async (
  { world, models, library, servers, hookHouse }: StartDeps,
  flags: Flags,
  headless: boolean,
) => {
  // Without a person there is no later: the first request offers what the servers bring. A screen waits for neither.
  if (headless) await library.ready();
  await servers.reload();
  if (headless) await servers.servers.settled();
  const definition = await definitionOf(world, library, flags);
  const own = flags.model === undefined ? definition?.model : undefined;
  const model =
    own !== undefined && !models.practice && models.known(own)
      ? models.id(own, modelOf(world, models, flags))
      : modelOf(world, models, flags);
  const limits = limitsOf(world, flags);
  checkBudget(models, limits, model);
  const id = flags.sessionId as SessionId | undefined;
  if (id !== undefined && (await world.stores.transcripts.find(id)))
    throw new NotFound(`There is a session ${id} already. Go on with it: --resume ${id}.`);
  const mode = modeFor(world, flags, definition);
  const prelude = preludeOf(hookHouse.hooks, flags);
  const named = {
    mode: flags.permissionMode !== undefined || flags.dangerouslySkipPermissions === true,
    model: flags.model !== undefined || world.env().ANTHROPIC_MODEL !== undefined || own !== undefined,
  };
  return { id, mode, model, named, limits, headless, definition, title: flags.name, prelude };
};

/** What is said first: an agent's own beginning, where a conversation begins with it, and what the person gave. */
export const firstWords = (
  root: Pick<Root, 'definition'>,
  source: Past['source'],
  prompt: string | undefined,
): string =>
  [source === 'startup' ? root.definition?.initialPrompt : undefined, prompt]
    .filter((text) => text !== undefined && text.trim() !== '')
    .join('\n\n');

type Past =
  | { readonly source: 'startup' }
  | { readonly source: 'resume' | 'fork'; readonly from: SessionSummary };

/** `--continue`, `--resume ID`, `--fork-session`: the conversation to go on with. */
export const choosePast = async (world: World, flags: Flags): Promise<Past> => {
  if (!flags.continue && flags.resume === undefined) return { source: 'startup' };
  const { transcripts } = world.stores;
  const source = flags.forkSession ? 'fork' : 'resume';
  if (typeof flags.resume === 'string') {
    const found =
      (await transcripts.find(flags.resume, world.project)) ?? (await transcripts.find(flags.resume));
    if (!found)
      throw new NotFound(
        (await teammate(world, flags.resume)) ??
          `No conversation is called "${flags.resume}". List them with coppice --resume in a terminal.`,
      );
    return { source, from: found };
  }
  const all = await transcripts.list(world.project);
  const latest = flags.print ? all[0] : (all.find((one) => !one.headless) ?? all[0]);
  if (!latest) throw new NotFound(`There is no earlier conversation in ${world.project}.`);
  return { source, from: latest };
};

/** Whoever asks for the session of a teammate is told where it is to be found. */
const teammate = async ({ stores }: World, id: string): Promise<string | undefined> => {
  const { teams } = await stores.teams.list();
  const team = teams.find(({ members }) => members.some(({ session }) => session === id));
  const name = team?.members.find(({ session }) => session === id)?.name;
  return (
    team &&
    `${id} is ${name} of the team "${team.name}": go on with its lead (coppice --resume ${team.leadSessionId}) and speak to it there (@${name}).`
  );
};
