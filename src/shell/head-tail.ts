/** The first and the last bytes of a stream, in bounded memory. */
export interface HeadTail {
  push(chunk: Buffer): void;
  /** Bytes seen. */
  total(): number;
  /** Bytes that are neither in the head nor in the tail any more. */
  dropped(): number;
  head(): Buffer;
  tail(): Buffer;
  /** The last `count` bytes at most. */
  last(count: number): Buffer;
}

/** Memory for the tail is taken only when the head is full. */
export const headTail = (headBytes: number, tailBytes: number): HeadTail => {
  const heads: Buffer[] = [];
  let headSize = 0;
  let ring = Buffer.alloc(0);
  let next = 0;
  let filled = 0;
  let total = 0;

  const pushTail = (bytes: Buffer): void => {
    if (ring.length === 0) ring = Buffer.allocUnsafe(tailBytes);
    const kept = bytes.subarray(-tailBytes);
    const first = Math.min(kept.length, tailBytes - next);
    kept.copy(ring, next, 0, first);
    kept.copy(ring, 0, first);
    next = (next + kept.length) % tailBytes;
    filled = Math.min(tailBytes, filled + kept.length);
  };

  const tail = (): Buffer =>
    filled < tailBytes
      ? ring.subarray(0, filled)
      : Buffer.concat([ring.subarray(next), ring.subarray(0, next)]);

  return {
    push: (chunk) => {
      total += chunk.length;
      const room = Math.min(chunk.length, headBytes - headSize);
      if (room > 0) {
        heads.push(Buffer.from(chunk.subarray(0, room)));
        headSize += room;
      }
      if (room < chunk.length) pushTail(chunk.subarray(room));
    },
    total: () => total,
    dropped: () => total - headSize - filled,
    head: () => Buffer.concat(heads),
    tail,
    last: (count) => {
      const end = filled > 0 ? tail() : Buffer.alloc(0);
      if (end.length >= count) return end.subarray(-count);
      return Buffer.concat([...heads, end]).subarray(-count);
    },
  };
};
