/** How the person types: vim or not, and the keys bound anew in `keybindings.json` of both homes, ours winning. */
import { join } from 'node:path';
import type { TypingHabits } from '../contract/keys.ts';
import { type Keybindings, readKeybindings } from '../settings/keybindings.ts';
import type { World } from './world.ts';

export interface Typing {
  habits(): TypingHabits;
  /** What is read, there or not. */
  readonly files: readonly string[];
  problems(): readonly string[];
  /** Reads the files again; answers what is wrong with them. */
  reload(): Promise<readonly string[]>;
}

const NAME = 'keybindings.json';

/** Our own file, where there is a home. */
export const ownKeybindings = ({ homes }: Pick<World, 'homes'>): string | undefined =>
  homes.own && join(homes.own, NAME);

/** The person's bindings, those of our own home last: they win. */
export const readBindings = async (
  world: Pick<World, 'homes' | 'loaded'>,
): Promise<Keybindings & { readonly files: readonly string[] }> => {
  const own = ownKeybindings(world);
  const foreign =
    world.homes.foreign && world.loaded().settings.compatibility !== false
      ? join(world.homes.foreign, NAME)
      : undefined;
  const none: Keybindings = { bindings: [], problems: [] };
  const read = [
    foreign ? await readKeybindings(foreign, true) : none,
    own ? await readKeybindings(own, false) : none,
  ];
  return {
    files: [foreign, own].filter((file) => file !== undefined),
    bindings: read.flatMap(({ bindings }) => bindings),
    problems: read.flatMap(({ problems }) => problems),
  };
};

export const createTyping = async (world: World): Promise<Typing> => {
  let read = await readBindings(world);
  return {
    files: read.files,
    problems: () => read.problems,
    async reload() {
      read = await readBindings(world);
      return read.problems;
    },
    habits() {
      const { editorMode, vimInsertModeRemaps = {} } = world.loaded().settings;
      return { vim: editorMode === 'vim', remaps: vimInsertModeRemaps, bindings: read.bindings };
    },
  };
};
