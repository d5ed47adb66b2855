/** What the first bytes of a picture say, without decoding it. */

export interface ImageHead {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

/** Undefined for what is no PNG, JPEG, GIF or WebP, or ends before it says its size. */
export const imageHead = (bytes: Uint8Array): ImageHead | undefined => {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = png(view) ?? gif(view) ?? webp(view) ?? jpeg(view);
  return head && head.width > 0 && head.height > 0 ? head : undefined;
};

const text = (view: Buffer, at: number, length: number): string =>
  view.toString('latin1', at, Math.min(at + length, view.length));

const png = (view: Buffer): ImageHead | undefined =>
  text(view, 0, 8) === '\x89PNG\r\n\x1a\n' && view.length >= 24
    ? { type: 'image/png', width: view.readUInt32BE(16), height: view.readUInt32BE(20) }
    : undefined;

const gif = (view: Buffer): ImageHead | undefined =>
  /^GIF8[79]a$/.test(text(view, 0, 6)) && view.length >= 10
    ? { type: 'image/gif', width: view.readUInt16LE(6), height: view.readUInt16LE(8) }
    : undefined;

const webp = (view: Buffer): ImageHead | undefined => {
  if (text(view, 0, 4) !== 'RIFF' || text(view, 8, 4) !== 'WEBP' || view.length < 30) return undefined;
  const type = 'image/webp';
  switch (text(view, 12, 4)) {
    case 'VP8 ':
      return { type, width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = view.readUInt32LE(21);
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { type, width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
};

/** Walks the segments up to the one that names the size. */
const jpeg = (view: Buffer): ImageHead | undefined => {
  if (text(view, 0, 3) !== '\xff\xd8\xff') return undefined;
  for (let at = 2; at + 9 < view.length; ) {
    const marker = view[at + 1] ?? 0;
    if (view[at] !== 0xff) return undefined;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return { type: 'image/jpeg', height: view.readUInt16BE(at + 5), width: view.readUInt16BE(at + 7) };
    at += 2 + view.readUInt16BE(at + 2);
  }
  return undefined;
};
