/**
 * The size of the window, told once it has stood still. While a window is dragged the terminal wraps its rows anew at
 * every step: what is written meanwhile lands in other rows than it was meant for, and stays there.
 */
export interface WindowSize {
  /** The output as Ink is to see it: its `resize` comes once for a whole drag. */
  readonly stream: NodeJS.WriteStream;
  stop(): void;
}

export interface Drawing {
  /** From now on nothing may be drawn. */
  hold(): void;
  /** The size stands, and Ink has heard of it. */
  release(): void;
  /** After several sizes nobody knows where the rows are, and all is drawn again; false where Ink is to be told instead. */
  again(): boolean;
}

/** How long a size must stand, in milliseconds. */
const QUIET_MS = 120;

export function windowSize(output: NodeJS.WriteStream, drawing: Drawing): WindowSize {
  const readers = new Set<() => void>();
  let sizes = 0;
  let timer: NodeJS.Timeout | undefined;
  const settle = () => {
    const several = sizes > 1;
    sizes = 0;
    if (several && drawing.again()) return;
    for (const reader of [...readers]) reader();
    drawing.release();
  };
  const seen = () => {
    if (sizes === 0) drawing.hold();
    sizes += 1;
    clearTimeout(timer);
    timer = setTimeout(settle, QUIET_MS);
  };
  output.on('resize', seen);

  const stream: NodeJS.WriteStream = new Proxy(output, {
    get(target, name) {
      if (name === 'on' || name === 'off')
        return (event: string, reader: () => void) => {
          if (event !== 'resize') target[name](event, reader);
          else if (name === 'on') readers.add(reader);
          else readers.delete(reader);
          return stream;
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    stream,
    stop() {
      clearTimeout(timer);
      output.off('resize', seen);
    },
  };
}
