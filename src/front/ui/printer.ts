/** Writes into the scrollback above the live part; while another page or program has the terminal, it waits. */
export interface Printer {
  print(text: string): void;
  /** Ink is mounted inline: its way of writing above the frame. */
  attach(write: (text: string) => void): void;
  detach(): void;
}

export function createPrinter(): Printer {
  let write: ((text: string) => void) | undefined;
  let waiting = '';
  return {
    print(text) {
      if (write) write(text);
      else waiting += text;
    },
    attach(next) {
      write = next;
      const text = waiting;
      waiting = '';
      if (text !== '') next(text);
    },
    detach() {
      write = undefined;
    },
  };
}
