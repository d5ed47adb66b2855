import * as z from 'zod';
import type { ImageBlock } from '../contract/message.ts';
import { inWorker, workerFile } from '../lib/in-worker.ts';
import { imageHead } from './image-head.ts';

/** Longest side in pixels beyond which the service only scales down again. */
const EDGE = 1568;
/** 5 MB of base64. */
const MOST_BYTES = 3_750_000;
/** More would take gigabytes to decode. */
const MOST_PIXELS = 150_000_000;
const DECODE_MS = 30_000;

export interface ImageTask {
  readonly bytes: Uint8Array;
  /** Longest side, in pixels. */
  readonly edge: number;
  /** Bytes. */
  readonly most: number;
}

const Answer = z.union([
  z.object({ kept: z.literal(true) }),
  z.object({ broken: z.literal(true) }),
  z.object({
    bytes: z.instanceof(Uint8Array),
    type: z.enum(['image/png', 'image/jpeg']),
    width: z.number(),
    height: z.number(),
  }),
]);

export type Fitted =
  | {
      readonly block: ImageBlock;
      readonly width: number;
      readonly height: number;
      /** Present when it was made smaller. */
      readonly original?: { readonly width: number; readonly height: number };
    }
  /** The end of a sentence whose subject is the file. */
  | { readonly problem: string }
  | { readonly interrupted: true };

/** A picture as the service takes it: decoded once to know that it is whole, shrunk to its limits. */
export const fitImage = async (bytes: Uint8Array, signal: AbortSignal): Promise<Fitted> => {
  const head = imageHead(bytes);
  if (!head) return { problem: 'is not a whole PNG, JPEG, GIF or WebP picture, so it cannot be shown.' };
  const { width, height, type } = head;
  if (width * height > MOST_PIXELS)
    return { problem: `has ${width} x ${height} pixels, too many to open. Make a smaller copy of it first.` };
  const task: ImageTask = { bytes, edge: EDGE, most: MOST_BYTES };
  const end = await inWorker({
    file: workerFile('image', import.meta.url),
    task,
    signal,
    timeoutMs: DECODE_MS,
    memory: 1024,
  });
  if ('interrupted' in end) return end;
  if ('failed' in end) return { problem: `could not be opened as a picture: ${end.failed}.` };
  const answer = Answer.parse(end.answer);
  if ('broken' in answer)
    return {
      problem: 'is damaged: it begins like a picture and cannot be decoded. It was not sent to the model.',
    };
  if ('kept' in answer) return { block: blockOf(type, bytes), width, height };
  return {
    block: blockOf(answer.type, answer.bytes),
    width: answer.width,
    height: answer.height,
    original: { width, height },
  };
};

const blockOf = (media_type: string, bytes: Uint8Array): ImageBlock => ({
  type: 'image',
  source: { type: 'base64', media_type, data: Buffer.from(bytes).toString('base64') },
});
