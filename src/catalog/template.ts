/** A skill's body in pieces, read before anything is filled in: what arguments bring is never run nor attached. */

export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'command'; readonly command: string };

export interface Template {
  readonly pieces: readonly Piece[];
  /** What follows an `@`, as written. */
  readonly mentions: readonly string[];
}

const inline = /(^|\s)!`([^`\n]+)`/g;
const mention = /(?:^|\s)@(?:"([^"\n]+)"|([^\s"'`<>()[\]]+))/g;

const piecesOfLine = (line: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of line.matchAll(inline)) {
    const before = match[1] ?? '';
    pieces.push({ kind: 'text', text: line.slice(from, match.index) + before });
    pieces.push({ kind: 'command', command: (match[2] ?? '').trim() });
    from = match.index + match[0].length;
  }
  return [...pieces, { kind: 'text', text: line.slice(from) }];
};

const mentionsIn = (line: string): readonly string[] =>
  [...line.replace(/`[^`]*`/g, '``').matchAll(mention)].map(
    (match) => match[1] ?? (match[2] ?? '').replace(/[.,;:!?]+$/, ''),
  );

/** Neighbouring texts as one. */
const joined = (pieces: readonly Piece[]): readonly Piece[] => {
  const whole: Piece[] = [];
  for (const piece of pieces) {
    const last = whole.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text')
      whole[whole.length - 1] = { kind: 'text', text: last.text + piece.text };
    else whole.push(piece);
  }
  return whole.filter((piece) => piece.kind === 'command' || piece.text !== '');
};

/** Commands stand at line starts and after blanks, or in fences marked with `!`; other fences show code and are left alone. */
export const parseTemplate = (body: string): Template => {
  const pieces: Piece[] = [];
  const mentions: string[] = [];
  let fence: { readonly mark: string; readonly command?: string[] } | undefined;
  for (const line of body.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence) {
      const closes = mark?.[1]?.startsWith(fence.mark) && (mark[2] ?? '').trim() === '';
      if (fence.command && closes)
        pieces.push({ kind: 'command', command: fence.command.join('\n') }, { kind: 'text', text: '\n' });
      else if (fence.command) fence.command.push(line);
      else pieces.push({ kind: 'text', text: `${line}\n` });
      if (closes) fence = undefined;
    } else if (mark?.[1]) {
      fence = (mark[2] ?? '').startsWith('!') ? { mark: mark[1], command: [] } : { mark: mark[1] };
      if (!fence.command) pieces.push({ kind: 'text', text: `${line}\n` });
    } else {
      pieces.push(...piecesOfLine(line), { kind: 'text', text: '\n' });
      mentions.push(...mentionsIn(line));
    }
  }
  if (fence?.command) pieces.push({ kind: 'text', text: `${fence.mark}!\n${fence.command.join('\n')}` });
  return { pieces: joined(pieces), mentions };
};
