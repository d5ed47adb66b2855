/** How a session goes into a worktree and comes out of it. */
import { isAbsolute, join } from 'node:path';
import type { Ask } from '../contract/ask.ts';
import type { HookScope } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import type { SessionState } from '../contract/state.ts';
import { type Refused, refOf, type WorktreeDoor, type Worktrees } from '../contract/worktree.ts';
import { readableName } from '../git/names.ts';
import { isFolder } from '../lib/is-folder.ts';
import { isInside, resolveForAccess, workspaceOf } from '../permission/access.ts';
import { diskLinks } from '../permission/link-reader.ts';
import type { Yard } from './worktree-yard.ts';

export interface DoorDeps {
  readonly service: Worktrees;
  readonly yard: Yard;
  scopeOf(session: SessionId): HookScope | undefined;
  /** Told of a worktree whose name we chose ourselves: nobody will miss it. */
  nameless(path: string): void;
}

export const createDoor = ({ service, yard, scopeOf, nameless }: DoorDeps): WorktreeDoor => ({
  async enter(state, wish, ask) {
    if (wish.path !== undefined) {
      const refused = await strange(state, wish.path, ask);
      if (refused) return refused;
      const worktree = await yard.enter(state, wish.path);
      return 'refused' in worktree ? worktree : { worktree, ref: refOf(worktree, state, false) };
    }
    const { name = readableName(), pull } = wish;
    const made = await yard.make(state, { name, ...(pull === undefined ? {} : { pull }) }, scopeOf(state.id));
    if ('refused' in made) return made;
    if (wish.name === undefined) nameless(made.worktree.path);
    return { worktree: made.worktree, ref: refOf(made.worktree, state, made.byHook) };
  },
  async leave(state, { remove, rescue }) {
    const ref = state.worktree;
    if (!ref) return { refused: 'This session is in no worktree.' };
    const back = (await isFolder(ref.originalCwd)) ? ref.originalCwd : state.project;
    const at = { cwd: back, checkout: ref.originalCheckout ?? state.project };
    if (!remove) {
      const survey = await service.survey(ref.path);
      await yard.release(ref.path);
      return { ...at, ...('refused' in survey ? {} : { survey }) };
    }
    const gone = await yard.takeAway(ref.path, { byHook: ref.byHook === true, rescue }, scopeOf(state.id));
    return 'refused' in gone || 'holds' in gone ? gone : { ...at, ...gone };
  },
  async survey(state) {
    return state.worktree
      ? await service.survey(state.worktree.path)
      : { refused: 'This session is in no worktree.' };
  },
});

/** Outside of our own folder, wherever links lead, a person has to say yes. */
const strange = async (state: SessionState, path: string, ask: Ask): Promise<Refused | undefined> => {
  const written = isAbsolute(path) ? path : join(state.cwd, path);
  const ours = workspaceOf([join(state.project, '.coppice', 'worktrees')], () => undefined);
  const target = resolveForAccess(written, '/', { home: '/', readLink: diskLinks });
  if (!target) return { refused: 'The path of the worktree holds characters that no path should.' };
  const { lexical, real } = target;
  if (isInside(target, ours) && !ours.roots.includes(lexical)) return undefined;
  const shown = lexical === real ? real : `${lexical}, which is ${real},`;
  const answer = await ask({
    kind: 'confirm',
    title: 'Work in another worktree?',
    body: `${shown} lies outside .coppice/worktrees of this project. From then on files in it count as the workspace.`,
    options: [
      { value: 'yes', label: 'Yes, work there' },
      { value: 'no', label: 'No' },
    ],
  });
  return answer.kind === 'confirm' && answer.value === 'yes'
    ? undefined
    : {
        refused: `The worktree ${shown} was not entered: it lies outside .coppice/worktrees, and nobody said yes.`,
      };
};
