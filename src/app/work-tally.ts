/** What the work of a whole tree of sessions came to since it was opened here: time of the model, lines of files. */
import type { SessionId } from '../contract/ids.ts';
import type { Session } from '../contract/session.ts';

export interface WorkTally {
  /** Milliseconds that requests took, those of agents included. */
  apiMs(): number;
  readonly lines: () => { readonly added: number; readonly removed: number };
  stop(): void;
}

export const workTally = (session: Session): WorkTally => {
  const asked = new Map<SessionId, number>();
  let apiMs = 0;
  let added = 0;
  let removed = 0;
  const stop = session.listen((event) => {
    if (event.type === 'request.started') asked.set(event.session, performance.now());
    const ends =
      event.type === 'turn.finished' ||
      (event.type === 'entry' && (event.entry.type === 'assistant' || event.entry.type === 'failed'));
    const since = ends ? asked.get(event.session) : undefined;
    if (since !== undefined) {
      apiMs += performance.now() - since;
      asked.delete(event.session);
    }
    if (event.type === 'tool.finished' && event.status === 'ok' && event.display?.kind === 'diff') {
      added += event.display.added;
      removed += event.display.removed;
    }
  });
  return { apiMs: () => Math.round(apiMs), lines: () => ({ added, removed }), stop };
};
