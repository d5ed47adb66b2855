import { safeLine } from '../../lib/safe-text.ts';
import { treeKey } from './agent-keys.ts';
import { type AgentFocus, type Branch, treeOf } from './agent-tree.ts';
import type { Host } from './host.ts';
import type { AgentRow } from './item.ts';
import { chord, type Press } from './keys.ts';

export interface AgentWatch {
  /** Down on an empty prompt: into the tree, or to the list of all else where nobody runs. */
  enter(): void;
  /** True when the key was for the tree. */
  key(one: Press): boolean;
}

/** The tree of running agents under the prompt, while keys go to it. */
export function agentWatch(
  host: Host,
  to: { open(agent: AgentRow): Promise<void>; further(): Promise<void> },
): AgentWatch {
  const { store, ports } = host;
  const focus = (agentFocus: AgentFocus | undefined) => store.update((state) => ({ ...state, agentFocus }));

  const stop = ({ row }: Branch): void =>
    void ports.agents?.stop(row.id).then((said) => host.hint(safeLine(said, 200), 4000));

  return {
    enter() {
      const [first] = treeOf(store.get());
      if (first) focus({ id: first.row.id, place: 0 });
      else void to.further();
    },
    key(one) {
      const { agentFocus } = store.get();
      if (agentFocus === undefined) return false;
      const tree = treeOf(store.get());
      const step = treeKey(tree, agentFocus, one);
      // They have all ended meanwhile: what was meant for one of them is not typed into the prompt.
      if (tree.length === 0) {
        focus(undefined);
        return ['x', 'enter', 'up', 'down'].includes(chord(one));
      }
      if (step === undefined) {
        // Whatever else is pressed is meant for the prompt.
        focus(undefined);
        return false;
      }
      if ('focus' in step) focus(step.focus);
      else if ('stop' in step) stop(step.stop);
      else if ('open' in step) void to.open(step.open.row);
      else {
        focus(undefined);
        void to.further();
      }
      return true;
    },
  };
}
