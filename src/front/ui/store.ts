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

/** The same value for somebody who may be kept from seeing changes for a while. */
export interface HeldStore<T> extends Pick<Store<T>, 'get' | 'subscribe'> {
  hold(): void;
  release(): void;
}

export function heldStore<T>(store: Store<T>): HeldStore<T> {
  let kept: { readonly value: T } | undefined;
  const readers = new Set<() => void>();
  const tell = () => {
    if (!kept) for (const reader of readers) reader();
  };
  store.subscribe(tell);
  return {
    get: () => (kept ? kept.value : store.get()),
    subscribe(reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    hold() {
      kept ??= { value: store.get() };
    },
    release() {
      kept = undefined;
      tell();
    },
  };
}
