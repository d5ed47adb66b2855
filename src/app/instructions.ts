/** Instruction files of this run: loaded at the start, told again after compaction, nested ones on first touch. */
import type { HookScope, Hooks } from '../contract/hook.ts';
import type { SessionState } from '../contract/state.ts';
import type { Instruction } from './openings.ts';
import type { World } from './world.ts';

export interface Instructions {
  load(state: SessionState, reason: 'start' | 'compact', hooks: Hooks, at: HookScope): Promise<readonly Instruction[]>;
  /** Files in force because of paths that were touched since last asked, as text for the model. */
  touched(state: SessionState, hooks: Hooks, at: HookScope): Promise<readonly string[]>;
  /** The output style in use. */
  style(): { readonly text: string; readonly instead: boolean } | undefined;
}

export const createInstructions = (world: World): Instructions => {
  void world;
  return { load: async () => [], touched: async () => [], style: () => undefined };
};
