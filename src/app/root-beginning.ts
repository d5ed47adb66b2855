/** How a root conversation begins or goes on: where it is written, what it was, who speaks, its first entry. */
import { randomUUID } from 'node:crypto';
import type { AgentDefinition } from '../contract/agent.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Entry } from '../contract/transcript.ts';
import { isFolder } from '../lib/is-folder.ts';
import type { Opening } from '../loop/deps.ts';
import { fold } from '../loop/fold.ts';
import { type AgentParts, agentParts } from './agent-parts.ts';
import { branchOf } from './git-facts.ts';
import type { House } from './house.ts';
import type { Purses } from './purses.ts';
import { asBefore, openingEntry, type RootWish } from './root-wish.ts';

export type RootRefused = { readonly refused: string };

export interface Beginning {
  readonly id: SessionId;
  readonly project: string;
  /** As it was wished for, with the mode and model that the conversation goes on with. */
  readonly wish: RootWish;
  readonly writer: Opening['writer'];
  readonly entry: Opening['entry'];
  /** What the transcript said so far. */
  readonly before?: SessionState;
  readonly earlier: readonly Entry[];
  /** Who speaks, where it is not the main agent. */
  readonly definition?: AgentDefinition;
  readonly parts?: AgentParts;
  /** One sentence per damage repaired or thing that changed since last time. */
  readonly notes: readonly string[];
}

const pastOf = async (house: House, { from }: RootWish, id: SessionId) => {
  if (!from) return { before: undefined, repairs: [], entries: [] };
  const { entries, repairs } = await house.world.stores.transcripts.load(from.path);
  const state = fold(from.id, entries);
  return { before: state && { ...state, id, root: id }, repairs, entries };
};

/** A conversation with an agent goes on with it. */
const earlierAgent = (house: House, wish: RootWish, before: SessionState | undefined) =>
  before === undefined || before.agent.type === 'main' || wish.member
    ? undefined
    : house.library.agents().find((one) => one.name === before.agent.type);

export const beginRoot = async (house: House, wished: RootWish): Promise<Beginning | RootRefused> => {
  const { world } = house;
  const resumed = wished.source === 'resume' ? wished.from : undefined;
  const id = resumed?.id ?? wished.id ?? (randomUUID() as SessionId);
  const project = resumed?.project ?? world.project;
  const child = wished.member && { root: wished.member.startedBy, name: id };
  const writer = await world.stores.transcripts.open(id, project, child);
  if ('refused' in writer) return { refused: `${writer.refused} Go on in a copy with --fork-session.` };
  if ('failed' in writer) return { refused: writer.failed };
  const { before, repairs, entries } = await pastOf(house, wished, id);
  // It may go on as an agent, and hooks of the skills that it used count from the start.
  if (before) await house.library.ready();
  const definition = wished.definition ?? earlierAgent(house, wished, before);
  const wish = { ...wished, definition, ...asBefore(house.models, wished, before) };
  const gone = before !== undefined && !(await isFolder(before.cwd));
  const parts = definition && agentParts(definition, house, wish.member ? 'child' : 'main');
  if (wish.headless) await parts?.servers?.settled();
  const place = gone ? { ...before, cwd: world.cwd, checkout: world.project } : before;
  const entry = openingEntry(world, house.habits, wish, id, place);
  // A copy carries the earlier lines: its own file must stand alone.
  if (wish.source === 'fork')
    for (const line of entries) await writer.append(line, { cwd: entry.cwd, branch: branchOf(entry.cwd) });
  return {
    id,
    project,
    wish,
    writer,
    entry,
    before,
    earlier: entries,
    definition,
    parts,
    notes: [...repairs, ...(gone ? [`${before.cwd} is gone; going on in ${world.cwd}.`] : [])],
  };
};

/** The main conversation as the loop opens it: it reads its mail once `recovered` resolves. */
export const rootOpening = (
  { id, wish, before, writer, entry, definition, parts }: Beginning,
  purses: Purses,
  recovered: Promise<void>,
  endsWith: string | undefined,
): Opening => ({
  id,
  entry,
  ...(before ? { before: wish.source === 'fork' ? { ...before, last: undefined } : before } : {}),
  writer,
  rootTranscriptPath: writer.path,
  boxes: [id],
  ready: wish.member?.ready ?? recovered,
  limits: wish.member ? wish.limits : { maxTurns: wish.limits.maxTurns ?? definition?.maxTurns },
  renewing: wish.member !== undefined,
  purses: wish.member ? purses.of(wish.member.team) : [purses.tree],
  session: { root: !wish.silent && !wish.member },
  hooks: parts?.hooks ?? [],
  ...(wish.prelude ? { prelude: wish.prelude } : {}),
  ...(wish.member ? { ending: wish.member.ending } : {}),
  ...(endsWith ? { endsWith } : {}),
});
