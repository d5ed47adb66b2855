import type { ScreenState } from '../screen-state.ts';
import type { Store } from '../store.ts';
import { vimModeName } from './vim-state.ts';

/** In which of vim's modes a person types, in the words of status lines: `INSERT`, `NORMAL`. */
export interface VimWatch {
  /** Undefined for everybody else. */
  mode(): string | undefined;
  /** Called after every change; answers the way to stop. */
  follow(reader: () => void): () => void;
}

export function vimWatch(store: Store<ScreenState>): VimWatch {
  const mode = () => {
    const { vim } = store.get().prompt;
    return vim && vimModeName[vim.mode].replace(/^-- | --$/g, '');
  };
  return {
    mode,
    follow(reader) {
      let last = mode();
      return store.subscribe(() => {
        const now = mode();
        if (now === last) return;
        last = now;
        reader();
      });
    },
  };
}
