/** From flags and settings to how a conversation begins. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionSummary } from '../contract/store.ts';
import { unpricedText } from '../loop/budget.ts';
import type { Limits } from '../loop/purse.ts';
import { PRACTICE_MODEL } from '../practice/model-id.ts';
import { type Flags, UsageError } from './flags.ts';
import type { House } from './house.ts';
import { preludeOf } from './lifecycle.ts';
import { modeFor } from './mode-choice.ts';
import { NotFound } from './not-found.ts';
import type { Root } from './root.ts';
import type { World } from './world.ts';

export const modelOf = (house: House, flags: Flags): string => {
  if (house.models.practice) return PRACTICE_MODEL;
  const env = house.world.env();
  return house.models.id(
    flags.model ?? env.ANTHROPIC_MODEL ?? house.world.loaded().settings.model ?? 'medium',
  );
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
const checkBudget = ({ models }: House, limits: Limits, model: string): void => {
  if (limits.maxCostUsd === undefined) return;
  const unpriced = [model, ...models.fallbacks].find((id) => models.facts(id).price === undefined);
  if (unpriced !== undefined) throw new UsageError(unpricedText(unpriced));
};

/** `--agent NAME`, or the setting: who answers instead of the main agent. */
const definitionOf = (house: House, flags: Flags): AgentDefinition | undefined => {
  const name = flags.agent ?? house.world.loaded().settings.agent;
  if (name === undefined) return undefined;
  const all = house.library.agents();
  const found = all.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (!found)
    throw new NotFound(
      `There is no agent "${name}". The agents are: ${all.map((one) => one.name).join(', ')}.`,
    );
  return found;
};

/** What flags and settings say of a conversation that begins or goes on. */
export const wishOf = async (house: House, flags: Flags, headless: boolean) => {
  const { world } = house;
  await house.library.ready();
  await house.servers.reload();
  // Without a person there is no later: the first request offers what the servers bring.
  if (headless) await house.servers.servers.settled();
  const definition = definitionOf(house, flags);
  const own = flags.model === undefined ? definition?.model : undefined;
  const model =
    own !== undefined && !house.models.practice && house.models.known(own)
      ? house.models.id(own, modelOf(house, flags))
      : modelOf(house, flags);
  const limits = limitsOf(world, flags);
  checkBudget(house, limits, model);
  const id = flags.sessionId as SessionId | undefined;
  if (id !== undefined && (await world.stores.transcripts.find(id)))
    throw new NotFound(`There is a session ${id} already. Go on with it: --resume ${id}.`);
  const mode = modeFor(world, flags, definition);
  const prelude = preludeOf(house, flags);
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
        `No conversation is called "${flags.resume}". List them with coppice --resume in a terminal.`,
      );
    return { source, from: found };
  }
  const all = await transcripts.list(world.project);
  const latest = flags.print ? all[0] : (all.find((one) => !one.headless) ?? all[0]);
  if (!latest) throw new NotFound(`There is no earlier conversation in ${world.project}.`);
  return { source, from: latest };
};
