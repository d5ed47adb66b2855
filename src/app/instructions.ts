/** Instruction files of this run: loaded at the start, told again after compaction, nested ones on first touch. */
import {
  type Instructions as Files,
  type InstructionFile,
  instructions as readInstructions,
} from '../catalog/instructions.ts';
import type { HookScope, Hooks } from '../contract/hook.ts';
import type { SessionState } from '../contract/state.ts';
import type { Instruction } from './openings.ts';
import { outsideImports } from './outside-imports.ts';
import type { World } from './world.ts';

export interface Instructions {
  load(
    state: SessionState,
    reason: 'start' | 'compact',
    hooks: Hooks,
    at: HookScope,
  ): Promise<readonly Instruction[]>;
  /** Files in force because of paths that were touched since last asked, as text for the model. */
  touched(state: SessionState, hooks: Hooks, at: HookScope): Promise<readonly string[]>;
  /** What `/memory` shows: the files that count for a session now, and those that were touched. */
  inForce(state: SessionState): Promise<readonly InstructionFile[]>;
  /** Files outside the project that its files import and nobody has decided about. */
  outside(state: SessionState): Promise<readonly { readonly path: string; readonly from: string }[]>;
  /** A sentence when the answer could not be kept. */
  decide(
    state: SessionState,
    paths: readonly string[],
    how: 'allowed' | 'refused',
  ): Promise<string | undefined>;
}

interface Told {
  readonly files: Files;
  seen: ReadonlySet<string>;
}

export const createInstructions = (world: World): Instructions => {
  const told = new Map<string, Told>();
  let last: readonly InstructionFile[] = [];
  const off = () => world.env().CLAUDE_CODE_DISABLE_CLAUDE_MDS === '1';

  const imports = outsideImports(world);

  const reader = async (state: SessionState): Promise<Files> => {
    const settings = world.loaded().settings;
    return readInstructions({
      project: state.checkout,
      cwd: state.cwd,
      homes: world.homes,
      compatibility: settings.compatibility === false ? 'own only' : 'with foreign',
      excludes: settings.claudeMdExcludes ?? [],
      externalImports: (await imports.decided()).allowed,
    });
  };

  const of = async (state: SessionState): Promise<Told> => {
    const known = told.get(state.id);
    if (known) return known;
    const files = await reader(state);
    const fresh: Told = { files, seen: new Set(Object.keys(state.seen)) };
    told.set(state.id, fresh);
    return fresh;
  };

  /** The one place that says an instruction file was loaded. */
  const announce = async (files: readonly InstructionFile[], hooks: Hooks, at: HookScope): Promise<void> => {
    for (const file of files)
      await hooks.dispatch(
        'InstructionsLoaded',
        {
          file_path: file.path,
          memory_type: file.memoryType,
          load_reason: file.loadReason,
          ...(file.globs ? { globs: file.globs } : {}),
          ...(file.trigger ? { trigger_file_path: file.trigger } : {}),
          ...(file.parent ? { parent_file_path: file.parent } : {}),
        },
        at,
      );
  };

  return {
    async inForce(state) {
      if (off()) return [];
      const { files } = await (await reader(state)).load('session_start');
      const known = new Set(files.map(({ path }) => path));
      return [...files, ...last.filter(({ path }) => !known.has(path))];
    },
    async outside(state) {
      if (off()) return [];
      const { external } = await (await reader(state)).load('session_start');
      const { refused } = await imports.decided();
      return external.filter(({ path }) => !refused.includes(path));
    },
    decide(state, paths, how) {
      told.delete(state.id);
      return imports.decide(paths, how);
    },
    async load(state, reason, hooks, at) {
      if (off()) return [];
      const { files, notes, external } = await (await of(state)).files.load(
        reason === 'start' ? 'session_start' : 'compact',
      );
      last = files;
      for (const text of notes) at.emit({ type: 'notice', level: 'warn', text });
      const { refused } = await imports.decided();
      for (const one of external.filter(({ path }) => !refused.includes(path)))
        at.emit({
          type: 'notice',
          level: 'warn',
          text: `${one.from} imports ${one.path}, which lies outside the project; it was not read. Start coppice in a terminal to allow it.`,
        });
      await announce(files, hooks, at);
      return files.map(({ path, text }) => ({ path, text }));
    },
    async touched(state, hooks, at) {
      if (off()) return [];
      const mine = await of(state);
      const fresh = Object.keys(state.seen).filter((path) => !mine.seen.has(path));
      if (fresh.length === 0) return [];
      mine.seen = new Set(Object.keys(state.seen));
      const found: InstructionFile[] = [];
      for (const path of fresh) found.push(...(await mine.files.touched(path)).files);
      last = [...last, ...found];
      await announce(found, hooks, at);
      return found.map(
        (file) =>
          `Instructions for files near ${file.trigger ?? file.path}, from ${file.path}:\n\n${file.text}`,
      );
    },
  };
};
