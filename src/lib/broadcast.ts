/** One writer, many readers. Readers get everything from the moment they begin; a slow one holds up nobody. */
export class Broadcast<T> {
  private readonly readers = new Set<(value: T) => void>();

  emit(value: T): void {
    for (const reader of [...this.readers]) reader(value);
  }

  /** Returns the way to stop reading. */
  listen(reader: (value: T) => void): () => void {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  }

  /** Ends when `last` says so of a value (which is still yielded) or the consumer stops. */
  async *iterate(last: (value: T) => boolean): AsyncGenerator<T> {
    const held: T[] = [];
    let wake: (() => void) | undefined;
    const stop = this.listen((value) => {
      held.push(value);
      wake?.();
    });
    try {
      for (;;) {
        while (held.length > 0) {
          const value = held.shift() as T;
          yield value;
          if (last(value)) return;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = undefined;
      }
    } finally {
      stop();
    }
  }
}
