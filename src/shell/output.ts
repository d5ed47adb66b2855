import { headTail } from './head-tail.ts';
import { firstChars, headText, lastChars, looksBinary, tailText, wholeText } from './readable.ts';
import { type Spill, spillTo } from './spill.ts';

const NEWS_BYTES = 4_000;
const UTF8_BYTES = 4;

export interface OutputLimits {
  /** Characters of output that the model reads. */
  readonly maxChars: number;
  /** Bytes of output that are kept on disk. */
  readonly maxFileBytes: number;
}

/** What a command has printed: a little in memory, the rest in a file that is made when it is needed. */
export interface Output {
  push(chunk: Buffer): void;
  /** From now on everything is in the file as it comes. */
  keep(): void;
  /** No more output; completes the file. */
  finish(): void;
  total(): number;
  truncated(): boolean;
  text(): string;
  /** What came since this was last asked; only the end of it when it is much. */
  news(): string;
}

export const collectOutput = (file: string, { maxChars, maxFileBytes }: OutputLimits): Output => {
  const half = Math.ceil(maxChars / 2);
  const memory = headTail(half * UTF8_BYTES, half * UTF8_BYTES);
  let spill: Spill | undefined;
  let finished = false;
  let told = 0;

  const keep = (): void => {
    if (spill || finished) return;
    spill = spillTo(file, maxFileBytes);
    spill.write(memory.head());
    spill.write(memory.tail());
  };
  const whole = (): string | undefined => {
    if (memory.total() > maxChars * UTF8_BYTES) return undefined;
    const text = wholeText(Buffer.concat([memory.head(), memory.tail()]));
    return text.length <= maxChars ? text : undefined;
  };
  const where = (): string => {
    if (!spill) return 'It goes on.';
    return (
      spill.problem() ?? `${memory.total() > maxFileBytes ? 'What was kept of it' : 'All of it'}: ${file}`
    );
  };

  const capped = (): string => {
    const head = firstChars(headText(memory.head()), half);
    const tail = lastChars(tailText(memory.tail().length > 0 ? memory.tail() : memory.head()), half);
    const missing = memory.total() - Buffer.byteLength(head) - Buffer.byteLength(tail);
    return `${head}\n\n[${missing} of ${memory.total()} bytes are left out here. ${where()}]\n\n${tail}`;
  };

  return {
    push: (chunk) => {
      // A byte that memory would forget must be in the file first.
      if (!spill && memory.total() + chunk.length > maxChars * UTF8_BYTES) keep();
      memory.push(chunk);
      spill?.write(chunk);
    },
    keep,
    finish: () => {
      if (whole() === undefined || looksBinary(memory.head())) keep();
      finished = true;
      spill?.finish();
    },
    total: memory.total,
    truncated: () => whole() === undefined,
    text: () =>
      looksBinary(memory.head())
        ? `[${memory.total()} bytes of binary output, not shown. ${where()}]`
        : (whole() ?? capped()),
    news: () => {
      const bytes = memory.last(Math.min(NEWS_BYTES, memory.total() - told));
      told = memory.total();
      return tailText(bytes);
    },
  };
};
