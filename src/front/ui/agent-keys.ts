import { type AgentFocus, type Branch, placeOf } from './agent-tree.ts';
import { chord, type Press } from './keys.ts';

/** What a key in the tree of agents comes to; undefined: it is for the prompt. */
export type TreeStep =
  | { readonly focus: AgentFocus | undefined }
  | { readonly open: Branch }
  | { readonly stop: Branch }
  /** Down from the last one: whatever else there is to choose from. */
  | { readonly further: true };

const at = (tree: readonly Branch[], place: number): TreeStep => {
  const branch = tree[place];
  return { focus: branch && { id: branch.row.id, place } };
};

export function treeKey(tree: readonly Branch[], focus: AgentFocus, one: Press): TreeStep | undefined {
  const place = placeOf(tree, focus);
  const branch = place === undefined ? undefined : tree[place];
  if (place === undefined || !branch) return undefined;
  switch (chord(one)) {
    case 'up':
    case 'ctrl+p':
    case 'k':
      return at(tree, place - 1);
    case 'down':
    case 'ctrl+n':
    case 'j':
      return place + 1 < tree.length ? at(tree, place + 1) : { further: true };
    case 'home':
      return at(tree, 0);
    case 'end':
      return at(tree, tree.length - 1);
    case 'enter':
    case 'right':
      return { open: branch };
    case 'x':
    case 'ctrl+x':
    case 'delete':
      return { stop: branch };
    case 'escape':
    case 'left':
    case 'ctrl+c':
      return { focus: undefined };
    default:
      return undefined;
  }
}
