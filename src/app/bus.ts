import type { EventBody, SessionEvent } from '../contract/event.ts';
import type { SessionId } from '../contract/ids.ts';
import { Broadcast } from '../lib/broadcast.ts';

export interface Speaker {
  readonly session: SessionId;
  readonly parent?: SessionId;
  readonly agent: string;
}

export interface Bus {
  emit(from: Speaker, body: EventBody): void;
  listen(reader: (event: SessionEvent) => void): () => void;
  events(): AsyncIterable<SessionEvent>;
}

/** One stream per tree of sessions; `seq` grows by one. It ends with the `bye` of the root. */
export const createBus = (root: SessionId): Bus => {
  const readers = new Broadcast<SessionEvent>();
  let seq = 0;
  return {
    emit(from, body) {
      seq += 1;
      readers.emit({ seq, ...from, ...body });
    },
    listen: (reader) => readers.listen(reader),
    events: () => readers.iterate((event) => event.type === 'bye' && event.session === root),
  };
};
