import type { ScreenState } from './screen-state.ts';
import type { Store } from './store.ts';

/** DECSCUSR: a block, a bar, and what the terminal was set to. */
const shapes = { block: '\x1b[2 q', bar: '\x1b[6 q', usual: '\x1b[0 q' } as const;

/** Gives the caret the shape that vim's modes have; leaves it alone for everybody else. Returns the way to stop. */
export function caretShape(store: Store<ScreenState>, write: (text: string) => void): () => void {
  let shown: keyof typeof shapes = 'usual';
  const show = (shape: keyof typeof shapes) => {
    if (shape === shown) return;
    shown = shape;
    write(shapes[shape]);
  };
  const stop = store.subscribe(() => {
    const { vim } = store.get().prompt;
    show(vim === undefined ? 'usual' : vim.mode === 'insert' ? 'bar' : 'block');
  });
  return () => {
    stop();
    show('usual');
  };
}
