import { treeLines, treeOf } from './agent-tree.ts';
import type { ScreenState } from './screen-state.ts';
import type { Line } from './span.ts';

export type TreePainter = (state: ScreenState, most: number) => readonly Line[];

/** Paints the tree again only when it, the focus or the clock has changed: a key costs its prompt alone. */
export function treePainter(): TreePainter {
  let before:
    | { readonly state: ScreenState; readonly most: number; readonly lines: readonly Line[] }
    | undefined;
  return (state, most) => {
    const same =
      before !== undefined &&
      before.most === most &&
      before.state.view.agents === state.view.agents &&
      before.state.team === state.team &&
      before.state.cwd === state.cwd &&
      before.state.agentFocus === state.agentFocus &&
      before.state.now === state.now &&
      before.state.columns === state.columns;
    const lines =
      before && same
        ? before.lines
        : treeLines(treeOf(state), state.agentFocus, {
            width: state.columns,
            now: state.now,
            most,
            team: state.team,
            cwd: state.cwd,
          });
    before = { state, most, lines };
    return lines;
  };
}
