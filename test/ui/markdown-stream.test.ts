import { describe, expect, test } from 'vitest';
import { finish, noStream, type Piece, received, type Stream, settle } from '../../src/front/ui/stream.ts';

const answer = [
  '# Title',
  '',
  'A paragraph with `code`',
  'over two lines.',
  '',
  '- one',
  '- two',
  '  - nested',
  '- three',
  '- four',
  '- five',
  '',
  '```ts',
  ...Array.from({ length: 40 }, (_, n) => `const a${n} = ${n};`),
  '```',
  '',
  '| a | b |',
  '|---|---|',
  '| 1 | 2 |',
  '',
  '> quoted',
  '',
  'Setext',
  '======',
  '',
  'The end.',
].join('\n');

function run(chunks: readonly string[]): { pieces: Piece[]; stream: Stream } {
  let stream = noStream;
  const pieces: Piece[] = [];
  for (const chunk of chunks) {
    const step = settle(received(stream, chunk));
    stream = step.stream;
    pieces.push(...step.pieces);
  }
  const end = finish(stream);
  return { pieces: [...pieces, ...end.pieces], stream: end.stream };
}

const chunked = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, n) => text.slice(n * size, (n + 1) * size));
const sense = (pieces: readonly Piece[]): string =>
  pieces
    .map((piece) => piece.text.trim())
    .join('\n')
    .replace(/\n+/g, '\n');

describe('an answer that comes in pieces', () => {
  test.each([1, 3, 7, 50, 400, 10_000])(
    'loses nothing and repeats nothing, %i characters at a time',
    (size) => {
      const { pieces, stream } = run(chunked(answer, size));
      expect(stream.taken).toBe(answer);
      expect(sense(pieces)).toBe(answer.replace(/^```.*\n/gm, '').replace(/\n+/g, '\n'));
    },
  );

  test('a paragraph leaves as soon as an empty line ends it', () => {
    const step = settle(received(noStream, 'First.\n\nSec'));
    expect(step.pieces.map((piece) => piece.text.trim())).toEqual(['First.']);
    expect(step.stream.tail.trim()).toBe('Sec');
  });

  test('a heading is not taken for a paragraph while its underline may come', () => {
    expect(settle(received(noStream, 'Title\n===')).pieces).toEqual([]);
  });

  test('a long open code block leaves in runs of whole lines', () => {
    const code = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n');
    const step = settle(received(noStream, `\`\`\`js\n${code}\npart`));
    expect(step.pieces.map((piece) => piece.kind)).toEqual(['code']);
    expect(step.stream.tail).toBe('part');
    expect(step.stream.fence?.language).toBe('js');
  });

  test('a fence that the answer ends with is no code', () => {
    expect(run(['```\na\n', 'b\n```']).pieces).toEqual([
      { kind: 'code', language: '', text: 'a\nb', before: '' },
    ]);
  });

  test('a fence of four ticks is not closed by three', () => {
    const { pieces } = run(['````md\n```js\nx\n```\n````\nafter\n\n']);
    expect(pieces).toEqual([
      { kind: 'code', language: 'md', text: '```js\nx\n```', before: '' },
      { kind: 'markdown', text: 'after', close: false },
    ]);
  });
});
