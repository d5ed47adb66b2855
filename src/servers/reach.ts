/** Requests to one server. Where it forgot our session they share a new one, and each is asked once more. */
import type { Connection } from './connection.ts';

export interface Reach {
  /** Rejects with a sentence where nothing is connected, and with what the server said where it refused. */
  ask<T>(signal: AbortSignal, request: (connection: Connection) => Promise<T>): Promise<T>;
}

export interface ReachDeps {
  /** Throws a sentence when nothing is connected. */
  live(): Connection;
  /** Whether connecting anew helps against this error. Throws a better error where it knows one. */
  helps(failed: unknown): boolean;
  /** Connects anew; the connection before it may end when `unused` resolves. */
  renew(failed: unknown, unused: Promise<unknown>): Promise<void>;
}

export const createReach = ({ live, helps, renew }: ReachDeps): Reach => {
  /** What still waits for an answer. */
  const asked = new Set<Promise<unknown>>();
  let renewing: Promise<void> | undefined;

  const once = <T>(connection: Connection, request: (connection: Connection) => Promise<T>): Promise<T> => {
    const answer = request(connection);
    const settled: Promise<void> = answer.then(
      () => undefined,
      () => undefined,
    );
    asked.add(settled);
    void settled.then(() => asked.delete(settled));
    return answer;
  };
  /** What fails side by side waits for the same new session; what fails later finds it there. */
  const renewed = async (failed: unknown, used: Connection): Promise<void> => {
    await renewing;
    if (live() !== used) return;
    renewing = renew(failed, Promise.all(asked)).finally(() => {
      renewing = undefined;
    });
    await renewing;
  };

  return {
    async ask(signal, request) {
      await renewing;
      const used = live();
      try {
        return await once(used, request);
      } catch (failed) {
        if (signal.aborted || !helps(failed)) throw failed;
        await renewed(failed, used);
        return await once(live(), request);
      }
    },
  };
};
