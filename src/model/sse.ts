/**
 * Server-sent events, read by the piece: one array for every piece of the body that came in. The library has a
 * reader of its own, which hides pings and piece boundaries; the first mark a stalled stream, the second
 * let deltas that came together go on together.
 */
export interface ServerSentEvent {
  /** Empty where the server does not name its events. */
  readonly event: string;
  readonly data: string;
}

const LINE_END = /\r\n|\n|\r/;

/** Feeds text in, takes whole events out. */
export const createEventReader = (): ((text: string) => readonly ServerSentEvent[]) => {
  let rest = '';
  let event = '';
  let lines: string[] = [];

  const take = (line: string, found: ServerSentEvent[]): void => {
    if (line === '') {
      if (event !== '' || lines.length > 0) found.push({ event, data: lines.join('\n') });
      event = '';
      lines = [];
    } else if (line.startsWith('data:')) lines.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) event = line.slice(line[6] === ' ' ? 7 : 6);
  };

  return (text) => {
    const found: ServerSentEvent[] = [];
    const whole = rest + text;
    // A lone CR at the end may be half of a line end.
    const held = whole.endsWith('\r') ? '\r' : '';
    const parts = (held ? whole.slice(0, -1) : whole).split(whole.includes('\r') ? LINE_END : '\n');
    rest = (parts.pop() ?? '') + held;
    for (const line of parts) take(line, found);
    return found;
  };
};

/** The events of a body, one array a piece; the last one holds what stood there without a line end. */
export async function* serverSentEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly ServerSentEvent[]> {
  const decoder = new TextDecoder();
  const read = createEventReader();
  for await (const piece of body) yield read(decoder.decode(piece, { stream: true }));
  yield read(`${decoder.decode()}\n\n`);
}
