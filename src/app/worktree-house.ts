/** Worktrees of one root conversation: for the session, for its agents, and what becomes of them at the end. */
import { join } from 'node:path';
import type { Place } from '../agents/host-deps.ts';
import type { AgentDefinition, SpawnRequest } from '../contract/agent.ts';
import type { Ask } from '../contract/ask.ts';
import type { HookPayloads, HookScope } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState, WorktreeRef } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import {
  type Refused,
  statText,
  type Worktree,
  type WorktreeDoor,
  type Worktrees,
} from '../contract/worktree.ts';
import { isFolder } from '../lib/is-folder.ts';
import type { Conversation } from '../loop/session.ts';
import { enterWorktreeTool } from '../tools/enter-worktree.ts';
import { exitWorktreeTool } from '../tools/exit-worktree.ts';
import { branchOf } from './git-facts.ts';
import type { HookHouse } from './hook-house.ts';
import type { NextPlace, Stay } from './next-place.ts';
import { keptDays } from './tidy.ts';
import { createDoor } from './worktree-door.ts';
import { createYard, type Made } from './worktree-yard.ts';
import { type ServicePlace, worktreeService } from './worktrees-here.ts';
import type { World } from './world.ts';

export interface WorktreeHouse {
  readonly here: ServicePlace;
  readonly service: Worktrees;
  readonly door: WorktreeDoor;
  readonly tools: readonly Tool[];
  /** A worktree for a child with `isolation: worktree`. */
  place(request: SpawnRequest, definition: AgentDefinition, id: SessionId): Promise<Place | Refused>;
  /** The worktree that a stopped or finished agent worked in, for going on; undefined where it was in none. */
  again(state: SessionState, fresh?: boolean): Promise<Place | Refused | undefined>;
  /** Puts the opened root conversation where `--worktree`, the one cleared before it, or its own past says. Answers what is worth telling. */
  settle(conversation: Conversation): Promise<{ readonly notes: readonly string[] } | Refused>;
  /** The session ends: locks are given up; a nameless worktree that holds nothing goes, unless the session is only cleared. */
  close(conversation: Conversation, reason: HookPayloads['SessionEnd']['reason']): Promise<void>;
}

export interface WorktreeHouseDeps {
  readonly world: World;
  readonly hooks: HookHouse['hooks'];
  readonly nextPlace: NextPlace;
  scopeOf(session: SessionId): HookScope | undefined;
  /** Where a person sits: nameless worktrees that hold nothing go when the session ends. */
  readonly interactive: boolean;
}

/** Days after which a worktree that nobody uses and that holds nothing goes. */

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30) || 'agent';

/** `#12` of `--worktree` is a pull request; anything else is a name. */
const wishOf = (text: string): { readonly name: string; readonly pull?: number } => {
  const pull = /^#([1-9]\d{0,8})$/.exec(text)?.[1];
  return pull === undefined ? { name: text } : { name: `pr-${pull}`, pull: Number(pull) };
};

export const createWorktreeHouse = ({
  world,
  hooks,
  nextPlace,
  scopeOf,
  interactive,
}: WorktreeHouseDeps): WorktreeHouse => {
  const here: ServicePlace = {
    host: world.host,
    project: world.project,
    settings: () => world.loaded().settings,
  };
  const service = worktreeService(here);
  const yard = createYard(world, hooks, service);
  /** Names we chose ourselves. */
  const nameless = new Set<string>();
  const door = createDoor({ service, yard, scopeOf, nameless: (path) => nameless.add(path) });

  /** What crashes left half done, and what has long been of no use. Only the end of the session waits for it. */
  let tidying: Promise<void> = Promise.resolve();
  const tidy = async (conversation: Conversation): Promise<void> => {
    if (!(await isFolder(join(world.project, '.coppice', 'worktrees')))) return;
    for (const text of await service.sweep(world.project, keptDays(world)))
      conversation.scope().emit({ type: 'notice', level: 'info', text });
  };

  /** What becomes of an agent's worktree when it ends: gone when it holds nothing, else named with what it holds. */
  const placed = ({ worktree, byHook }: Made, scope: HookScope | undefined): Place => ({
    cwd: worktree.path,
    checkout: worktree.path,
    facts: [
      [
        `You work in a git worktree of your own, ${worktree.path}${worktree.branch ? ` on branch ${worktree.branch}` : ''}; the main checkout ${worktree.root} is left alone. Use paths below the worktree.`,
        ...worktree.notes,
      ].join(' '),
    ],
    handOver: () => yard.release(worktree.path),
    async leave() {
      const gone = await yard.takeAway(worktree.path, { byHook, rescue: false }, scope);
      if (!('refused' in gone) && !('holds' in gone)) return undefined;
      await yard.release(worktree.path);
      const survey = 'holds' in gone ? gone.holds : undefined;
      const branch = branchOf(worktree.path) ?? worktree.branch;
      return {
        path: worktree.path,
        ...(branch ? { branch } : {}),
        files: survey?.touched ?? [],
        ...(survey ? { stat: statText(survey.stat) } : {}),
      };
    },
  });

  /** For an agent that goes on after its worktree was removed. */
  const anew = async ({ name, path, notes }: Worktree): Promise<string> => {
    const rescues = await service.rescues(world.project);
    const saved = 'refused' in rescues ? undefined : rescues.find((one) => one.name === name);
    return [
      `Your worktree ${path} had been removed meanwhile and was made anew: what you left in it and did not merge is not there.`,
      saved
        ? `It was saved: coppice worktree rescue restore ${saved.id} brings it back into a worktree of its own.`
        : '',
      ...notes,
    ]
      .filter((text) => text !== '')
      .join(' ');
  };

  const stand = (conversation: Conversation, ref: WorktreeRef): Promise<void> =>
    conversation.record({ type: 'worktree', worktree: ref, cwd: ref.path, checkout: ref.path });

  /** After `/clear`: in the same worktree, or back in the project where it is gone. */
  const stay = async (conversation: Conversation, { stay: ref, nameless: ours }: Stay) => {
    if (ours) nameless.add(ref.path);
    await stand(conversation, ref);
    return goOn(conversation, conversation.state());
  };

  /** A conversation that is in a worktree already: its lock again, or back to the project where it is gone. */
  const goOn = async (conversation: Conversation, state: SessionState): Promise<readonly string[]> => {
    const ref = state.worktree;
    if (!ref || ref.byHook) return [];
    if (await isFolder(ref.path)) {
      const worktree = await yard.enter(state, ref.path, world.project);
      return 'refused' in worktree ? [worktree.refused] : [];
    }
    await conversation.record({ type: 'worktree', worktree: null, cwd: world.cwd, checkout: world.project });
    return [`The worktree ${ref.path} of this conversation is gone; going on in ${world.cwd}.`];
  };

  return {
    here,
    service,
    door,
    tools: [enterWorktreeTool(door), exitWorktreeTool(door)],
    async place(request, definition, id) {
      const owner = request.name ?? definition.name;
      const name = `${slug(owner)}-${id.slice(0, 8)}`;
      const scope = scopeOf(request.parent.id);
      const made = await yard.make(request.parent, { name, owner }, scope);
      return 'refused' in made ? made : placed(made, scope);
    },
    async again(state, fresh = false) {
      const name = /\/\.coppice\/worktrees\/([^/]+)$/.exec(state.checkout)?.[1];
      if (name === undefined || state.worktree) return undefined;
      const made = await yard.make({ ...state, checkout: state.project }, { name }, undefined);
      if ('refused' in made) return made;
      const place = placed(made, scopeOf(state.root));
      const cwd = (await isFolder(state.cwd)) ? state.cwd : place.cwd;
      return made.worktree.reopened
        ? { ...place, cwd, facts: fresh ? place.facts : [] }
        : { ...place, cwd, facts: [await anew(made.worktree)] };
    },
    async settle(conversation) {
      const state = conversation.state();
      tidying = tidy(conversation);
      const next = nextPlace.take();
      if (!next) return { notes: await goOn(conversation, state) };
      if ('stay' in next) return { notes: await stay(conversation, next) };
      const entered = await door.enter(state, next.enter === true ? {} : wishOf(next.enter), noAsk);
      if ('refused' in entered) return entered;
      await stand(conversation, entered.ref);
      return { notes: entered.worktree.notes };
    },
    async close(conversation, reason) {
      await tidying;
      const { worktree } = conversation.state();
      if (worktree && reason === 'clear')
        nextPlace.leave({ stay: worktree, nameless: nameless.has(worktree.path) });
      else if (worktree && interactive && nameless.has(worktree.path))
        await yard.takeAway(
          worktree.path,
          { byHook: worktree.byHook === true, rescue: false },
          conversation.scope(),
        );
      await yard.releaseAll();
    },
  };
};

const noAsk: Ask = async () => ({ kind: 'none', reason: 'Nobody was asked.', source: 'headless' });
