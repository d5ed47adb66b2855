/** One GET to an address that was checked, with caps on bytes, unpacked bytes and time. */
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Address } from './open-address.ts';

/** Received and unpacked alike. */
export const MOST_BYTES = 5_000_000;

export interface RawAnswer {
  readonly status: number;
  readonly type: string;
  readonly location?: string;
  readonly bytes: Buffer;
  /** There was more than is read. */
  readonly cut: boolean;
}

export const HEADERS: Readonly<Record<string, string>> = {
  'user-agent': 'coppice (a coding assistant; one page for one person)',
  accept: 'text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5',
  'accept-language': 'en,*;q=0.5',
};

/** Connects to `to` and nowhere else. Rejects with the system's error. */
export const requestPage = (url: URL, to: Address, signal: AbortSignal): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, {
      method: 'GET',
      headers: { ...HEADERS, 'accept-encoding': 'gzip, deflate, br' },
      agent: false,
      signal,
      lookup: (_host, options, done) =>
        options.all ? done(null, [{ ...to }]) : done(null, to.address, to.family),
    });
    request.once('response', (answer) => {
      read(answer)
        .then(resolve, reject)
        .finally(() => request.destroy());
    });
    request.on('error', reject);
    request.end();
  });

const read = async (answer: IncomingMessage): Promise<RawAnswer> => {
  const { location, 'content-type': type = '', 'content-encoding': packing = '' } = answer.headers;
  const status = answer.statusCode ?? 0;
  const head = { status, type, ...(location ? { location } : {}) };
  if (status >= 300 && status < 400) return { ...head, bytes: Buffer.alloc(0), cut: false };
  return { ...head, ...(await capped(answer, packing.trim().toLowerCase())) };
};

const capped = async (
  packed: Readable,
  packing: string,
): Promise<{ readonly bytes: Buffer; readonly cut: boolean }> => {
  const parts: Buffer[] = [];
  let size = 0;
  let received = 0;
  let cut = false;
  const counted = async function* (source: AsyncIterable<Buffer>) {
    for await (const part of source) {
      received += part.length;
      yield part;
      if (received > MOST_BYTES) {
        cut = true;
        return;
      }
    }
  };
  const unpack = unpacker(packing);
  const sink = async (source: AsyncIterable<Buffer>) => {
    for await (const part of source) {
      parts.push(part.subarray(0, Math.max(0, MOST_BYTES - size)));
      size += part.length;
      if (size > MOST_BYTES) {
        cut = true;
        return;
      }
    }
  };
  try {
    const source = Readable.from(counted(packed));
    await (unpack ? pipeline(source, unpack, sink) : pipeline(source, sink));
  } catch (error) {
    // What was packed ends in the middle where it was cut: the part before that is good.
    if (!cut) throw error;
  }
  return { bytes: Buffer.concat(parts), cut };
};

const unpacker = (packing: string) => {
  switch (packing) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
};
