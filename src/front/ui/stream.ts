import { lexer, type Token, type Tokens } from 'marked';
import { safeText, wholeText } from '../../lib/safe-text.ts';

/** An answer as it comes in: what is not yet finished, and the code block it stands in. */
export interface Stream {
  readonly tail: string;
  /** The end of what came, where it is torn: half a sequence, half a picture. It joins the tail with what follows. */
  readonly held: string;
  readonly fence?: Fence;
  /** Everything taken out so far, to tell what the final message adds. */
  readonly taken: string;
}
interface Fence {
  readonly mark: string;
  readonly language: string;
  /** Lines of the block already taken out; colours go on where they were. */
  readonly before: string;
}

/** A finished piece of an answer. */
export type Piece =
  | {
      readonly kind: 'markdown';
      readonly text: string /** The next piece follows without an empty row (items of one list). */;
      readonly close: boolean;
    }
  | { readonly kind: 'code'; readonly language: string; readonly text: string; readonly before: string };

export const noStream: Stream = { tail: '', held: '', taken: '' };

/** Adds a piece as the model sent it; what is shown of it is fit for a terminal. */
export function received(stream: Stream, text: string): Stream {
  const come = stream.held + text;
  const whole = wholeText(come);
  return { ...stream, tail: stream.tail + safeText(come.slice(0, whole)), held: come.slice(whole) };
}

export const isEmpty = ({ tail, held }: Stream): boolean => tail === '' && held === '';

/** Lines of an open code block that wait until they are worth writing out. */
const codeChunk = 12;

/** Takes out what is finished: whole blocks, whole list items, whole lines of long code. */
export function settle(stream: Stream): { readonly stream: Stream; readonly pieces: readonly Piece[] } {
  const pieces: Piece[] = [];
  let now = stream;
  for (;;) {
    const step = now.fence ? settleCode(now, now.fence) : settleBlocks(now);
    if (!step) return { stream: now, pieces };
    if (step.piece) pieces.push(...step.piece);
    now = step.stream;
  }
}

/** Takes out everything: the answer is over. */
export function finish(stream: Stream): { readonly stream: Stream; readonly pieces: readonly Piece[] } {
  const settled = settle({ ...stream, tail: stream.tail + safeText(stream.held), held: '' });
  const { tail, fence, taken } = settled.stream;
  const text = fence ? tail.replace(closingFence(fence, '$'), '').replace(/\n$/, '') : tail;
  const rest: Piece[] =
    text.trim() === ''
      ? []
      : [
          fence
            ? { kind: 'code', language: fence.language, text, before: fence.before }
            : { kind: 'markdown', text, close: false },
        ];
  return { stream: { ...noStream, taken: taken + tail }, pieces: [...settled.pieces, ...rest] };
}

type Step = { readonly stream: Stream; readonly piece?: readonly Piece[] } | undefined;

function settleBlocks(stream: Stream): Step {
  if (!/\n/.test(stream.tail)) return undefined;
  const opened = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\n`]*)\n/.exec(stream.tail);
  if (opened?.[1]) {
    const language = (opened[2] ?? '').trim().split(/[\s,{]/, 1)[0] ?? '';
    return { stream: take(stream, opened[0].length, { mark: opened[1], language, before: '' }) };
  }
  const tokens = lexer(stream.tail);
  const last = tokens.findLastIndex((token) => token.type !== 'space');
  const open = tokens[last];
  if (!open) return undefined;
  const ended = endsByItself(open, tokens.length > last + 1);
  const done = ended ? tokens : tokens.slice(0, last);
  if (done.length > 0)
    return {
      stream: take(
        stream,
        done.reduce((sum, token) => sum + token.raw.length, 0),
      ),
      piece: done.flatMap(pieceOf),
    };
  return open.type === 'list' ? settleItems(stream, open as Tokens.List) : undefined;
}

/** A heading or rule ends with its line, a paragraph with an empty one; all else only when something else follows. */
const endsByItself = (token: Token, space: boolean): boolean =>
  ((token.type === 'heading' || token.type === 'hr') && token.raw.endsWith('\n')) ||
  (token.type === 'paragraph' && space);

function pieceOf(token: Token): Piece[] {
  if (token.type === 'space' || token.type === 'def') return [];
  if (token.type === 'code')
    return [
      {
        kind: 'code',
        language: (token.lang ?? '').split(/[\s,{]/, 1)[0] ?? '',
        text: token.text,
        before: '',
      },
    ];
  return [{ kind: 'markdown', text: token.raw, close: false }];
}

/** Long lists leave item by item; the last two stay, for they may still grow. */
function settleItems(stream: Stream, list: Tokens.List): Step {
  const [head] = list.items;
  const raw = head ? rawItem(stream.tail, head.raw) : undefined;
  if (list.items.length < 4 || list.loose || !raw) return undefined;
  return { stream: take(stream, raw.length), piece: [{ kind: 'markdown', text: raw, close: true }] };
}

/** The item's own text as it stands in the source, with its line end. */
const rawItem = (tail: string, raw: string): string | undefined => {
  if (!tail.startsWith(raw)) return undefined;
  return raw.endsWith('\n') ? raw : tail[raw.length] === '\n' ? `${raw}\n` : raw;
};

const closingFence = (fence: Fence, end: string): RegExp =>
  new RegExp(`^ {0,3}${fence.mark[0] === '`' ? '`' : '~'}{${fence.mark.length},}[ \\t]*${end}`, 'm');

function settleCode(stream: Stream, fence: Fence): Step {
  const closing = closingFence(fence, '(\\n|$)');
  const found = closing.exec(stream.tail);
  // Without its line end, a closing fence may still grow into something else.
  if (found && (found[1] === '\n' || stream.tail.length > found.index + found[0].length)) {
    const code = stream.tail.slice(0, found.index);
    const piece: Piece[] =
      code === '' && fence.before !== ''
        ? []
        : [{ kind: 'code', language: fence.language, text: code.replace(/\n$/, ''), before: fence.before }];
    return { stream: take(stream, found.index + found[0].length), piece };
  }
  const end = (found ? stream.tail.slice(0, found.index) : stream.tail).lastIndexOf('\n');
  const lines = end < 0 ? 0 : stream.tail.slice(0, end).split('\n').length;
  if (lines < codeChunk) return undefined;
  const code = stream.tail.slice(0, end);
  return {
    stream: take(stream, end + 1, { ...fence, before: lastLines(`${fence.before}${code}\n`) }),
    piece: [{ kind: 'code', language: fence.language, text: code, before: fence.before }],
  };
}

/** Enough of what came before for colours to go on: the last few hundred lines. */
const lastLines = (code: string): string =>
  code.length > 24_000 ? code.slice(code.indexOf('\n', code.length - 16_000) + 1) : code;

function take(stream: Stream, length: number, fence?: Fence): Stream {
  return {
    tail: stream.tail.slice(length),
    held: stream.held,
    taken: stream.taken + stream.tail.slice(0, length),
    ...(fence ? { fence } : {}),
  };
}
