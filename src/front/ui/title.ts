import type { ScreenFacts } from '../../contract/screen.ts';
import { safeLine } from '../../lib/safe-text.ts';
import type { ScreenState } from './screen-state.ts';
import type { Store } from './store.ts';
import { titlePop, titlePush, titleSequence } from './terminal.ts';

/** Keeps the window's title up to date: what the conversation is called, and a mark while it works or waits for an answer. */
export function windowTitle(store: Store<ScreenState>, write: (text: string) => void): () => void {
  let shown = '';
  const update = () => {
    const { facts, view } = store.get();
    const mark = view.asks.length > 0 ? '? ' : view.busy ? '• ' : '';
    const title = `${mark}${nameOf(facts)}`;
    if (title === shown) return;
    shown = title;
    write(titleSequence(title));
  };
  write(titlePush);
  update();
  const stop = store.subscribe(update);
  return () => {
    stop();
    write(titlePop);
  };
}

const nameOf = (facts: ScreenFacts): string =>
  safeLine(facts.title ?? `coppice · ${facts.directory.split('/').at(-1) || facts.directory}`, 80);
