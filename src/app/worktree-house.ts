/** Worktrees of one root conversation: how sessions and agents go in and out, what hooks say to it, whose locks are ours. */
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { Place } from '../agents/host-deps.ts';
import type { AgentDefinition, SpawnRequest } from '../contract/agent.ts';
import type { Ask } from '../contract/ask.ts';
import type { HookScope } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import {
  type Left,
  type Refused,
  refOf,
  type Survey,
  statText,
  type Worktree,
  type WorktreeDoor,
  type Worktrees,
} from '../contract/worktree.ts';
import { badName, readableName } from '../git/names.ts';
import type { Conversation } from '../loop/session.ts';
import { enterWorktreeTool } from '../tools/enter-worktree.ts';
import { exitWorktreeTool } from '../tools/exit-worktree.ts';
import { branchOf } from './git-facts.ts';
import type { House } from './house.ts';
import { type ServicePlace, worktreeService } from './worktrees-here.ts';

export interface WorktreeHouse {
  readonly here: ServicePlace;
  readonly service: Worktrees;
  readonly door: WorktreeDoor;
  readonly tools: readonly Tool[];
  /** A worktree for a child with `isolation: worktree`. */
  place(request: SpawnRequest, definition: AgentDefinition, id: SessionId): Promise<Place | Refused>;
  /** The worktree that a stopped or finished agent worked in, for going on; undefined where it was in none. */
  again(state: SessionState): Promise<Place | Refused | undefined>;
  /** Puts the opened root conversation where `--worktree` or its own past says. Answers what is worth telling. */
  settle(conversation: Conversation): Promise<{ readonly notes: readonly string[] } | Refused>;
  /** The session ends: locks are given up; a nameless worktree that holds nothing goes. */
  close(conversation: Conversation): Promise<void>;
}

export interface WorktreeHouseDeps {
  readonly house: House;
  scopeOf(session: SessionId): HookScope | undefined;
  /** Where a person sits: nameless worktrees that hold nothing go when the session ends. */
  readonly interactive: boolean;
}

/** Days after which a worktree that nobody uses and that holds nothing goes. */
const KEPT_DAYS = 30;

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 30) || 'agent';

export const createWorktreeHouse = ({ house, scopeOf, interactive }: WorktreeHouseDeps): WorktreeHouse => {
  const { world } = house;
  const { hooks } = house.hookHouse;
  const here: ServicePlace = {
    host: world.host,
    project: world.project,
    settings: () => world.loaded().settings,
  };
  const service = worktreeService(here);
  /** Locks we hold, by path. */
  const held = new Set<string>();
  /** Names we chose ourselves: nobody will miss them. */
  const nameless = new Set<string>();

  /** What crashes left half done, and what has long been of no use. Nobody waits for it. */
  let tidying: Promise<void> = Promise.resolve();
  const tidy = async (conversation: Conversation): Promise<void> => {
    if (!(await isFolder(join(world.project, '.coppice', 'worktrees')))) return;
    const days = world.loaded().settings.cleanupPeriodDays ?? KEPT_DAYS;
    for (const text of await service.sweep(world.project, days))
      conversation.scope().emit({ type: 'notice', level: 'info', text });
  };

  const owner = (state: SessionState): string =>
    `session ${state.root}${state.parent ? ` agent ${state.agent.name ?? state.agent.type}` : ''}`;

  /** Hooks first: a path they answer stands in for git. */
  const make = async (
    state: SessionState,
    name: string,
    scope: HookScope | undefined,
  ): Promise<{ readonly worktree: Worktree; readonly byHook: boolean } | Refused> => {
    const wrong = badName(name);
    if (wrong) return { refused: wrong };
    if (scope && hooks.listens('WorktreeCreate', scope.extra)) {
      const verdict = await hooks.dispatch('WorktreeCreate', { name }, scope);
      const refused = verdict.blocked ?? verdict.stop;
      if (refused !== undefined) return { refused: `A hook refused the worktree: ${refused}` };
      const path = verdict.worktreePath;
      if (path !== undefined) {
        if (!isAbsolute(path) || !(await isFolder(path)))
          return {
            refused: `The WorktreeCreate hook answered ${JSON.stringify(path)}, which is not the absolute path of a folder.`,
          };
        const branch = branchOf(path);
        return {
          byHook: true,
          worktree: {
            name,
            path,
            ...(branch ? { branch } : {}),
            root: world.project,
            reopened: false,
            notes: [],
          },
        };
      }
    }
    const worktree = await service.open(state.checkout, { name, owner: owner(state) });
    if ('refused' in worktree) return worktree;
    held.add(worktree.path);
    return { worktree, byHook: false };
  };

  const takeAway = async (
    path: string,
    byHook: boolean,
    rescue: boolean,
    scope: HookScope | undefined,
  ): Promise<
    { readonly survey?: Survey; readonly rescue?: Left['rescue'] } | Refused | { readonly holds: Survey }
  > => {
    const survey = await service.survey(path);
    if ('refused' in survey && !byHook) return survey;
    const known = 'refused' in survey ? undefined : survey;
    if (known && !known.clean && !rescue) return { holds: known };
    if (scope) await hooks.dispatch('WorktreeRemove', { worktree_path: path }, scope);
    if (byHook) return known ? { survey: known } : {};
    const removed = await service.remove(path, { rescue });
    if ('refused' in removed || 'holds' in removed) return removed;
    held.delete(path);
    return { ...(known ? { survey: known } : {}), ...(removed.rescue ? { rescue: removed.rescue } : {}) };
  };

  const release = async (path: string): Promise<void> => {
    if (held.delete(path)) await service.release(path);
  };

  const enterPath = async (state: SessionState, path: string, ask: Ask): Promise<Worktree | Refused> => {
    const target = isAbsolute(path) ? path : join(state.cwd, path);
    if (!target.startsWith(`${join(state.project, '.coppice', 'worktrees')}/`)) {
      const answer = await ask({
        kind: 'confirm',
        title: 'Work in another worktree?',
        body: `${target} lies outside .coppice/worktrees of this project. From then on files in it count as the workspace.`,
        options: [
          { value: 'yes', label: 'Yes, work there' },
          { value: 'no', label: 'No' },
        ],
      });
      if (answer.kind !== 'confirm' || answer.value !== 'yes')
        return {
          refused: `The worktree ${target} was not entered: it lies outside .coppice/worktrees, and nobody said yes.`,
        };
    }
    const worktree = await service.enter(state.checkout, target, owner(state));
    if (!('refused' in worktree)) held.add(worktree.path);
    return worktree;
  };

  const door: WorktreeDoor = {
    async enter(state, wish, ask) {
      if (wish.path !== undefined) {
        const worktree = await enterPath(state, wish.path, ask);
        return 'refused' in worktree ? worktree : { worktree, ref: refOf(worktree, state, false) };
      }
      const name = wish.name ?? readableName();
      const made = await make(state, name, scopeOf(state.id));
      if ('refused' in made) return made;
      if (wish.name === undefined) nameless.add(made.worktree.path);
      return { worktree: made.worktree, ref: refOf(made.worktree, state, made.byHook) };
    },
    async leave(state, { remove, rescue }) {
      const ref = state.worktree;
      if (!ref) return { refused: 'This session is in no worktree.' };
      const back = (await isFolder(ref.originalCwd)) ? ref.originalCwd : state.project;
      const at = { cwd: back, checkout: ref.originalCheckout ?? state.project };
      if (!remove) {
        const survey = await service.survey(ref.path);
        await release(ref.path);
        return { ...at, ...('refused' in survey ? {} : { survey }) };
      }
      const gone = await takeAway(ref.path, ref.byHook === true, rescue, scopeOf(state.id));
      return 'refused' in gone || 'holds' in gone ? gone : { ...at, ...gone };
    },
    async survey(state) {
      return state.worktree
        ? await service.survey(state.worktree.path)
        : { refused: 'This session is in no worktree.' };
    },
  };

  /** What becomes of an agent's worktree when it ends: gone when it holds nothing, else named with what it holds. */
  const placed = (worktree: Worktree, byHook: boolean, scope: HookScope | undefined): Place => ({
    cwd: worktree.path,
    checkout: worktree.path,
    handOver: () => release(worktree.path),
    async leave() {
      const gone = await takeAway(worktree.path, byHook, false, scope);
      if (!('refused' in gone) && !('holds' in gone)) return undefined;
      await release(worktree.path);
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

  return {
    here,
    service,
    door,
    tools: [enterWorktreeTool(door), exitWorktreeTool(door)],
    async place(request, definition, id) {
      const name = `${slug(request.name ?? definition.name)}-${id.slice(0, 8)}`;
      const scope = scopeOf(request.parent.id);
      const made = await make(request.parent, name, scope);
      return 'refused' in made ? made : placed(made.worktree, made.byHook, scope);
    },
    async again(state) {
      const name = /\/\.coppice\/worktrees\/([^/]+)$/.exec(state.checkout)?.[1];
      if (name === undefined || state.worktree) return undefined;
      const worktree = await service.open(state.project, { name, owner: owner(state) });
      if ('refused' in worktree) return worktree;
      held.add(worktree.path);
      return placed(worktree, false, scopeOf(state.root));
    },
    async settle(conversation) {
      const state = conversation.state();
      tidying = tidy(conversation);
      const { worktree: wished } = world.flags;
      if (state.worktree && !wished) return { notes: await goOn(conversation, state) };
      if (!wished) return { notes: [] };
      const entered = await door.enter(state, wished === true ? {} : { name: wished }, noAsk);
      if ('refused' in entered) return entered;
      const { worktree, ref } = entered;
      await conversation.record({
        type: 'worktree',
        worktree: ref,
        cwd: worktree.path,
        checkout: worktree.path,
      });
      return { notes: worktree.notes };
    },
    async close(conversation) {
      await tidying;
      const { worktree } = conversation.state();
      if (worktree && interactive && nameless.has(worktree.path))
        await takeAway(worktree.path, worktree.byHook === true, false, conversation.scope());
      for (const path of [...held]) await release(path);
    },
  };

  /** A resumed conversation that was in a worktree: its lock again, or back to the project where it is gone. */
  async function goOn(conversation: Conversation, state: SessionState): Promise<readonly string[]> {
    const ref = state.worktree;
    if (!ref || ref.byHook) return [];
    if (!(await isFolder(ref.path))) {
      await conversation.record({
        type: 'worktree',
        worktree: null,
        cwd: world.cwd,
        checkout: world.project,
      });
      return [`The worktree ${ref.path} of this conversation is gone; going on in ${world.cwd}.`];
    }
    const worktree = await service.enter(world.project, ref.path, owner(state));
    if ('refused' in worktree) return [worktree.refused];
    held.add(worktree.path);
    return [];
  }
};

const noAsk: Ask = async () => ({ kind: 'none', reason: 'Nobody was asked.', source: 'headless' });
