import type { InkTerminal } from './screen.tsx';

/** Hands the terminal to another program, or to the shell that waits behind, and takes it back. */
export interface Lending {
  suspend<T>(work: () => Promise<T>): Promise<T>;
  /** Stops the program as Ctrl+Z does, until it is continued. */
  stopJob(): void;
  /** Whether somebody else has it now. */
  lent(): boolean;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

export function lending(screen: {
  readonly stdin: NodeJS.ReadStream;
  terminal(): InkTerminal | undefined;
  /** Erases the frame. */
  clear(): void;
  /** Writes out what waits. */
  flush(): void;
}): Lending {
  let lent = 0;
  const suspend = async <T>(work: () => Promise<T>): Promise<T> => {
    const app = screen.terminal();
    if (!app) return work();
    let result: { readonly value: T } | undefined;
    lent += 1;
    try {
      // The other program, or the shell, begins where the frame was.
      screen.clear();
      await app.suspendTerminal(async () => {
        // Node would go on reading the terminal and take keys from the other program. It stops a turn after it
        // was told so, and can only be told a turn after Ink stopped listening.
        await turn();
        screen.stdin.pause();
        await turn();
        // A stopped process writes nothing more: the erased frame goes out first.
        screen.flush();
        result = { value: await work() };
      });
    } finally {
      lent -= 1;
    }
    if (!result) throw new Error('the terminal was not handed over');
    return result.value;
  };
  return {
    suspend,
    lent: () => lent > 0,
    stopJob() {
      void suspend(
        () =>
          new Promise<void>((resolve) => {
            // Without a timer Node would end as soon as it goes on.
            const alive = setInterval(() => {}, 60_000);
            process.once('SIGCONT', () => {
              clearInterval(alive);
              resolve();
            });
            process.kill(0, 'SIGTSTP');
          }),
      );
    },
  };
}
