import { type KeyBinding, type KeyContext, keyActions, keySequences } from '../../contract/keys.ts';
import { chord, named, type Press, typed } from './keys.ts';

/** What a person bound anew, applied at the door: the parts of the screen see only the keys they know. */
export interface Keymap {
  /** The presses that one stands for in these contexts, the nearest first; none while a sequence is unfinished. */
  read(one: Press, contexts: readonly KeyContext[]): readonly Press[];
  /** The keys pressed so far of an unfinished sequence. */
  pending(): string | undefined;
}

export function createKeymap(bindings: () => readonly KeyBinding[]): Keymap {
  let begun: string | undefined;

  const single = (one: Press, contexts: readonly KeyContext[]): readonly Press[] => {
    const here = active(bindings(), contexts);
    const name = chord(one) === ' ' ? 'space' : chord(one);
    const keys = begun === undefined ? name : `${begun} ${name}`;
    const bound = here.find((binding) => binding.keys === keys);
    if (bound === undefined && here.some((binding) => binding.keys.startsWith(`${keys} `))) {
      begun = keys;
      return [];
    }
    const inSequence = begun !== undefined;
    begun = undefined;
    if (bound) return bound.action === null ? [] : [pressOf(bound.action)];
    return inSequence ? [] : [one];
  };

  return {
    read(one, contexts) {
      const letters = one.name === 'text' && [...one.text].length > 1 ? [...one.text] : undefined;
      const apart =
        letters &&
        (begun !== undefined ||
          active(bindings(), contexts).some((binding) => letters.includes(binding.keys.split(' ')[0] ?? '')));
      return apart ? letters.flatMap((letter) => single(typed(letter), contexts)) : single(one, contexts);
    },
    pending: () => begun,
  };
}

/** Bindings in force, those of nearer contexts and later ones of a context first; sequences that come along last. */
const active = (bindings: readonly KeyBinding[], contexts: readonly KeyContext[]): readonly KeyBinding[] => [
  ...contexts.flatMap((context) => bindings.filter((binding) => binding.context === context).toReversed()),
  ...(contexts.includes('Chat') ? defaults : []),
];

const defaults: readonly KeyBinding[] = Object.entries(keySequences).map(([keys, action]) => ({
  context: 'Chat',
  keys,
  action,
}));

/** The key that does an action by itself. */
const pressOf = (action: string): Press => {
  const key = keyActions[action];
  if (key === undefined || key.includes(' ')) return named(action);
  if (key === 'space') return named(' ');
  const parts = key.split('+');
  return named(parts.at(-1) ?? key, {
    ctrl: parts.includes('ctrl'),
    alt: parts.includes('alt'),
    shift: parts.includes('shift'),
  });
};
