import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/** The body of an answer as it was before a server or gateway packed it; nothing is asked to, some do all the same. */
export const unpacked = (answer: IncomingMessage): Readable => {
  const unpack = unpacker(answer.headers['content-encoding']?.trim().toLowerCase());
  if (!unpack) return answer;
  // Its reader hears of errors, as long as there is one.
  unpack.on('error', () => {});
  answer.on('error', (error) => unpack.destroy(error));
  answer.once('close', () => {
    if (!answer.complete) unpack.destroy(new Error('The connection was closed.'));
  });
  unpack.once('close', () => answer.destroy());
  return answer.pipe(unpack);
};

/** Every piece is given on as soon as it came: an answer is read while it is written. */
const unpacker = (encoding: string | undefined) => {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  const { constants, ...zlib } = process.getBuiltinModule('node:zlib');
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      return zlib.createUnzip(flush);
    case 'br':
      return zlib.createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
    case 'zstd':
      return zlib.createZstdDecompress();
    default:
      return undefined;
  }
};
