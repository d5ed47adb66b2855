import { randomBytes } from 'node:crypto';
import type {
  BackgroundCommand,
  BackgroundCommands,
  RunningCommand,
  ShellResult,
} from '../contract/shell.ts';

interface Held {
  readonly command: string;
  readonly running: RunningCommand;
  readonly outputFile: string;
  readonly ended: Promise<void>;
  result?: ShellResult;
  stopping: boolean;
}

/** The commands that run on while the conversation does. */
export const backgroundCommands = (): BackgroundCommands => {
  const held = new Map<string, Held>();

  const statusOf = ({ result, stopping }: Held): BackgroundCommand['status'] => {
    if (!result) return 'running';
    if (stopping) return 'stopped';
    return result.exitCode === 0 ? 'completed' : 'failed';
  };
  const stop = async (id: string): Promise<boolean> => {
    const one = held.get(id);
    if (!one || one.result) return false;
    one.stopping = true;
    await one.running.stop();
    await one.ended;
    return true;
  };

  return {
    adopt: (command, running, outputFile, onEnd) => {
      const id = `b${randomBytes(4).toString('hex')}`;
      running.detach();
      const ended = running.result.then((result) => {
        one.result = result;
        onEnd(id, result);
      });
      const one: Held = { command, running, outputFile, ended, stopping: false };
      held.set(id, one);
      return id;
    },
    get: (id) => {
      const one = held.get(id);
      return (
        one && {
          id,
          command: one.command,
          status: statusOf(one),
          outputFile: one.outputFile,
          output: one.result?.output ?? one.running.tail(),
          ...(one.result ? { exitCode: one.result.exitCode } : {}),
        }
      );
    },
    ids: () => [...held.keys()],
    stop,
    wait: async (id, timeoutMs, signal) => {
      const one = held.get(id);
      if (!one || one.result || signal.aborted) return;
      const done = Promise.withResolvers<void>();
      const timer = setTimeout(done.resolve, timeoutMs);
      const onAbort = (): void => done.resolve();
      signal.addEventListener('abort', onAbort);
      await Promise.race([one.ended, done.promise]);
      signal.removeEventListener('abort', onAbort);
      clearTimeout(timer);
    },
    stopAll: async () => {
      await Promise.all([...held.keys()].map(stop));
    },
  };
};
