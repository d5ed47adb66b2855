/** One value that the screen is drawn from; lives outside React, so that it outlasts a change of screens. */
export interface Store<T> {
  get(): T;
  set(next: T): void;
  update(change: (now: T) => T): void;
  subscribe(reader: () => void): () => void;
}

export function createStore<T>(first: T): Store<T> {
  let value = first;
  const readers = new Set<() => void>();
  const set = (next: T) => {
    if (next === value) return;
    value = next;
    for (const reader of readers) reader();
  };
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe(reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
  };
}
