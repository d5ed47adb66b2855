import { plainReports, unfinishedReport } from './key-reports.ts';

/**
 * What Ink reads keys from: the terminal's input with the terminal's own replies taken out, and what was typed
 * before Ink was there put in front. Replies would otherwise be typed into the prompt.
 */
export interface TtyInput {
  /** Has the members of a tty stream that Ink uses. */
  readonly stream: NodeJS.ReadStream;
  /** Called with every OSC reply, without its introducer. */
  onReply(reader: (reply: string) => void): void;
  /** What was typed before comes first. */
  hold(text: string): void;
  /** While one screen makes way for the other the terminal stays raw: a line typed just then would come cooked. */
  keepRaw(keep: boolean): void;
}

export function ttyInput(real: NodeJS.ReadStream): TtyInput {
  let reader: (reply: string) => void = () => {};
  let early = '';
  let partial = '';
  let raw = false;

  const cleaned = (chunk: string): string => {
    let text = plainReports(partial + chunk);
    partial = '';
    const torn = unfinishedReport.exec(text.slice(-40));
    if (torn) {
      partial = torn[0];
      text = text.slice(0, -partial.length);
    }
    for (;;) {
      const start = text.indexOf('\x1b]');
      if (start < 0) return text;
      const end = /\x07|\x1b\\/.exec(text.slice(start + 2));
      if (!end) {
        // Nobody types an OSC: an unfinished one waits for its end, unless it grows beyond any reply.
        if (text.length - start > 512) return text.slice(0, start) + text.slice(start + 2);
        partial = text.slice(start) + partial;
        return text.slice(0, start);
      }
      reader(text.slice(start + 2, start + 2 + end.index));
      text = text.slice(0, start) + text.slice(start + 2 + end.index + end[0].length);
    }
  };

  const pastes = wholePastes();

  const read = (size?: number): string | null => {
    if (early !== '') {
      const text = pastes(cleaned(early));
      early = '';
      if (text !== '') return text;
    }
    const chunk: unknown = real.read(size);
    if (chunk === null || chunk === undefined) return null;
    const text = pastes(
      cleaned(typeof chunk === 'string' ? chunk : Buffer.isBuffer(chunk) ? chunk.toString('utf8') : ''),
    );
    return text === '' ? read(size) : text;
  };

  const stream: NodeJS.ReadStream = new Proxy(real, {
    get(target, name) {
      if (name === 'read') return read;
      if (name === 'setRawMode') return (on: boolean) => (on || !raw ? target.setRawMode(on) : stream);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    stream,
    hold: (text) => {
      early += text;
    },
    onReply: (next) => {
      reader = next;
    },
    keepRaw: (keep) => {
      raw = keep;
    },
  };
}

const BEGIN = '\x1b[200~';
const END = '\x1b[201~';

/**
 * Keeps an unfinished paste back and hands it over in one piece: whoever looks through all of it again with every
 * chunk takes minutes for megabytes.
 */
function wholePastes(): (text: string) => string {
  let held: string[] = [];
  let tail = '';
  return (text) => {
    let rest = text;
    let ready = '';
    for (;;) {
      if (held.length === 0) {
        const begin = rest.indexOf(BEGIN);
        if (begin < 0) return ready + rest;
        ready += rest.slice(0, begin);
        held = [BEGIN];
        rest = rest.slice(begin + BEGIN.length);
        tail = '';
      }
      const end = (tail + rest).indexOf(END);
      if (end < 0) {
        held.push(rest);
        tail = (tail + rest).slice(1 - END.length);
        return ready;
      }
      const cut = end - tail.length + END.length;
      ready += held.join('') + rest.slice(0, cut);
      held = [];
      rest = rest.slice(cut);
    }
  };
}
