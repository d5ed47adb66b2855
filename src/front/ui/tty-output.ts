/**
 * What Ink writes to: everything written in one turn of the event loop reaches the terminal in one piece, so that a
 * frame costs one system call, and rows printed above it and the frame below never show one without the other.
 */
export interface TtyOutput {
  readonly stream: NodeJS.WriteStream;
  /** Writes out now what waits. */
  flush(): void;
  /** From now on nothing waits any more: the program is ending. */
  direct(): void;
}

/** The end of one synchronized update right before the begin of the next. */
const seam = '\x1b[?2026l\x1b[?2026h';

export function ttyOutput(real: NodeJS.WriteStream): TtyOutput {
  let waiting = '';
  let written: (() => void)[] = [];
  let through = false;
  const flush = () => {
    if (waiting === '' && written.length === 0) return;
    const text = waiting.replaceAll(seam, '');
    const callbacks = written;
    waiting = '';
    written = [];
    real.write(text, () => {
      for (const callback of callbacks) callback();
    });
  };
  const write = (chunk: string | Uint8Array, encoding?: unknown, callback?: unknown): boolean => {
    const done = typeof encoding === 'function' ? encoding : callback;
    if (waiting === '' && written.length === 0 && !through) queueMicrotask(flush);
    waiting += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    if (typeof done === 'function') written.push(() => done());
    if (through) flush();
    return true;
  };
  const stream = new Proxy(real, {
    get(target, name) {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    stream,
    flush,
    direct() {
      through = true;
      flush();
    },
  };
}
