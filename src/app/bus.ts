import type { EventBody, SessionEvent } from '../contract/event.ts';
import type { SessionId } from '../contract/ids.ts';
import { Broadcast } from '../lib/broadcast.ts';
import { maskAll, maskPieces } from '../lib/mask.ts';

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

type Delta = Extract<EventBody, { type: 'delta' }>;

/**
 * One stream per tree of sessions; `seq` grows by one. It ends with the `bye` of the root. No reader sees a secret,
 * even one that is streamed in pieces.
 */
export const createBus = (root: SessionId, secrets: () => readonly string[]): Bus => {
  const readers = new Broadcast<SessionEvent>();
  const streams = new Map<
    SessionId,
    { readonly channel: Delta['channel']; readonly pieces: ReturnType<typeof maskPieces> }
  >();
  let seq = 0;
  const send = (from: Speaker, body: EventBody): void => {
    seq += 1;
    readers.emit({ seq, ...from, ...body });
  };
  const flush = (from: Speaker): void => {
    const open = streams.get(from.session);
    streams.delete(from.session);
    const text = open?.pieces.rest();
    if (open && text) send(from, { type: 'delta', channel: open.channel, text });
  };
  const streamed = (from: Speaker, { channel, text }: Delta): void => {
    if (streams.get(from.session)?.channel !== channel) flush(from);
    const open = streams.get(from.session) ?? { channel, pieces: maskPieces(secrets()) };
    streams.set(from.session, open);
    const shown = open.pieces.take(text);
    if (shown !== '') send(from, { type: 'delta', channel, text: shown });
  };
  return {
    emit(from, body) {
      if (secrets().length === 0) return send(from, body);
      if (body.type === 'delta') return streamed(from, body);
      flush(from);
      // Entries were masked before they were written.
      send(from, body.type === 'entry' ? body : maskAll(body, secrets()));
    },
    listen: (reader) => readers.listen(reader),
    events: () => readers.iterate((event) => event.type === 'bye' && event.session === root),
  };
};
