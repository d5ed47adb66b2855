import type { ScreenCommands } from '../../contract/screen.ts';
import { safeText } from '../../lib/safe-text.ts';
import type { Host } from './host.ts';

/** Runs `! command` of the person, its output live on the screen. */
export interface OwnShell {
  run(command: string): Promise<void>;
  /** Ends a running one; false where none runs. */
  stop(): boolean;
}

/** Characters of running output that are kept for the screen. */
const SHOWN = 8000;

export function ownShell({ store, ports }: Host, commands: ScreenCommands): OwnShell {
  let stop: AbortController | undefined;
  return {
    async run(command) {
      if (!ports.shell) return commands.notice('warn', 'Commands of your own cannot be run here.');
      const mine = new AbortController();
      stop = mine;
      store.update((state) => ({ ...state, shell: { command: safeText(command), output: '' } }));
      const wrong = await ports.shell(command, mine.signal, (chunk) =>
        store.update((state) =>
          state.shell
            ? {
                ...state,
                shell: { ...state.shell, output: (state.shell.output + safeText(chunk)).slice(-SHOWN) },
              }
            : state,
        ),
      );
      if (stop === mine) stop = undefined;
      store.update((state) => ({ ...state, shell: undefined }));
      if (wrong !== undefined) commands.notice('error', wrong);
    },
    stop() {
      stop?.abort();
      return stop !== undefined;
    },
  };
}
