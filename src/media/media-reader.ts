import { extname } from 'node:path';
import type { MediaReader } from '../contract/media.ts';
import type { ToolOutcome } from '../contract/tool.ts';
import { fitImage } from './fit-image.ts';
import { imageHead } from './image-head.ts';
import { readNotebook } from './notebook.ts';
import { readPdf } from './pdf.ts';

type Kind = 'image' | 'pdf' | 'notebook';

const KINDS: Readonly<Record<string, Kind>> = {
  '.png': 'image',
  '.jpg': 'image',
  '.jpeg': 'image',
  '.gif': 'image',
  '.webp': 'image',
  '.pdf': 'pdf',
  '.ipynb': 'notebook',
};

/** The name decides; without one that says anything, the first bytes do. */
const kindOf = (path: string, head: Uint8Array): Kind | undefined => {
  const named = KINDS[extname(path).toLowerCase()];
  if (named) return named;
  const start = Buffer.from(head.subarray(0, 5)).toString('latin1');
  if (start === '%PDF-') return 'pdf';
  return start.startsWith('\xff\xd8\xff') || imageHead(head) ? 'image' : undefined;
};

/** Pictures, PDF documents and notebooks for the Read tool. */
export const mediaReader = (): MediaReader => ({
  accepts: (path, head) => kindOf(path, head) !== undefined,
  async read({ path, bytes, pages, documents, signal }) {
    if (bytes.length === 0) return { status: 'error', text: `${path} is empty: there is nothing to show.` };
    switch (kindOf(path, bytes.subarray(0, 64))) {
      case 'pdf':
        return readPdf({ path, bytes, pages, documents }, signal);
      case 'notebook':
        return readNotebook(path, bytes, signal);
      case 'image':
      case undefined:
        return readImage(path, bytes, signal);
    }
  },
});

const readImage = async (path: string, bytes: Uint8Array, signal: AbortSignal): Promise<ToolOutcome> => {
  const fitted = await fitImage(bytes, signal);
  if ('interrupted' in fitted) return { status: 'cancelled', text: 'Interrupted.' };
  if ('problem' in fitted) return { status: 'error', text: `${path} ${fitted.problem}` };
  const { block, width, height, original } = fitted;
  const size = original
    ? `${original.width} x ${original.height} pixels, shown at ${width} x ${height}`
    : `${width} x ${height} pixels`;
  const text = `[Picture ${path}: ${size}]`;
  return {
    status: 'ok',
    text,
    blocks: [{ type: 'text', text }, block],
    display: { kind: 'text', summary: `picture, ${size}`, body: text },
    response: {
      type: 'image',
      file: {
        filePath: path,
        type: block.source.media_type,
        originalSize: bytes.length,
        dimensions: {
          originalWidth: original?.width ?? width,
          originalHeight: original?.height ?? height,
          displayWidth: width,
          displayHeight: height,
        },
      },
    },
  };
};
