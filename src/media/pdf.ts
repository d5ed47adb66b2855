import * as z from 'zod';
import type { DocumentBlock } from '../contract/message.ts';
import type { ToolOutcome } from '../contract/tool.ts';
import { inWorker, workerFile } from '../lib/in-worker.ts';

const MOST_PAGES = 20;
/** Pages that are shown as they are, not only their text: each costs the model some thousand tokens. */
const MOST_SHOWN = 10;
/** A request holds 32 MB of base64, and this goes along with every later one. */
const MOST_BYTES = 8_000_000;
const MOST_CHARS = 100_000;
const READ_MS = 60_000;

export interface PdfTask {
  readonly bytes: Uint8Array;
  /** From 1. */
  readonly first: number;
  /** Included; absent: to the end. */
  readonly last?: number;
  readonly mostPages: number;
  /** Up to so many pages are cut out as a document of their own; 0: none. */
  readonly mostShown: number;
}

export interface PdfFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly pages: string | undefined;
  /** The model can be shown pages as they are. */
  readonly documents: boolean;
}

const Answer = z.union([
  z.object({
    total: z.number(),
    pages: z.array(z.string()),
    /** The whole file where all its pages were asked for. */
    cut: z.union([z.literal('whole'), z.instanceof(Uint8Array)]).optional(),
  }),
  z.object({ problem: z.string(), detail: z.string() }),
]);

/** `3`, `2-5`, `7-`; undefined for anything else. */
export const pageRange = (
  pages: string | undefined,
): { readonly first: number; readonly last?: number } | undefined => {
  if (pages === undefined || pages.trim() === '') return { first: 1 };
  const match = /^\s*(\d+)\s*(?:(-)\s*(\d*))?\s*$/.exec(pages);
  const first = Number(match?.[1]);
  if (!match || first < 1) return undefined;
  if (!match[2]) return { first, last: first };
  if (!match[3]) return { first };
  const last = Number(match[3]);
  return last >= first ? { first, last } : undefined;
};

/** A PDF page by page: its text, and the pages themselves where the model can be shown them. */
export const readPdf = async (file: PdfFile, signal: AbortSignal): Promise<ToolOutcome> => {
  const { path, bytes, pages } = file;
  const error = (text: string): ToolOutcome => ({ status: 'error', text });
  const range = pageRange(pages);
  if (!range) return error(`"pages" of Read takes a page or a range, such as 3 or 1-5, not "${pages}".`);
  const mostShown = file.documents ? MOST_SHOWN : 0;
  const task: PdfTask = { bytes, ...range, mostPages: MOST_PAGES, mostShown };
  const end = await inWorker({ file: workerFile('pdf', import.meta.url), task, signal, timeoutMs: READ_MS });
  if ('interrupted' in end) return { status: 'cancelled', text: 'Interrupted.' };
  if ('failed' in end) return error(`${path} could not be read as a PDF: ${end.failed}.`);
  const answer = Answer.parse(end.answer);
  if ('problem' in answer) return error(`${path} ${troubleWith(answer.problem, answer.detail)}`);
  const { total, cut } = answer;
  if (range.first > total)
    return error(
      `${path} has ${total} ${total === 1 ? 'page' : 'pages'}; page ${range.first} is behind its end.`,
    );
  const shown = cut === 'whole' ? bytes : cut;
  const small = shown !== undefined && shown.length <= MOST_BYTES;
  return report(file, range, total, answer.pages, small ? shown : undefined);
};

const troubleWith = (problem: string, detail: string): string => {
  if (problem === 'PasswordException')
    return 'is protected by a password, so it cannot be read. Ask for a copy without one.';
  if (problem === 'InvalidPDFException') return 'is damaged or no PDF: its structure cannot be read.';
  return `could not be read as a PDF: ${detail}`;
};

const report = (
  { path, bytes, documents }: PdfFile,
  range: { readonly first: number; readonly last?: number },
  total: number,
  pages: readonly string[],
  document: Uint8Array | undefined,
): ToolOutcome => {
  const shown: string[] = [];
  let room = MOST_CHARS;
  for (const [at, text] of pages.entries()) {
    if (room <= 0) break;
    const kept =
      text.length <= room
        ? text
        : `${text.slice(0, room).toWellFormed()}\n[the rest of this page is not shown]`;
    room -= text.length;
    shown.push(
      `[Page ${range.first + at} of ${total}]\n${kept || '(no text on this page: it may be a picture)'}`,
    );
  }
  const next = range.first + shown.length;
  const last = Math.min(range.last ?? total, total);
  if (next <= last)
    shown.push(
      `[Pages ${next} to ${last} are not shown. Go on with pages "${next}-${Math.min(last, next + MOST_PAGES - 1)}".]`,
    );
  if (documents && !document)
    shown.push(
      `[Only the text is here, not the look of the pages: that is shown of at most ${MOST_SHOWN} pages and ${MOST_BYTES / 1e6} MB at a time, and not of encrypted files. Ask for fewer pages if figures or layout matter.]`,
    );
  const body = shown.join('\n\n');
  return {
    status: 'ok',
    text: body,
    ...(document ? { blocks: [{ type: 'text', text: body }, blockOf(document)] } : {}),
    display: { kind: 'code', path, summary: `${next - range.first} of ${total} pages`, body },
    response: {
      type: 'pdf',
      file: {
        filePath: path,
        originalSize: bytes.length,
        firstPage: range.first,
        numPages: next - range.first,
        totalPages: total,
      },
    },
  };
};

const blockOf = (pdf: Uint8Array): DocumentBlock => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from(pdf).toString('base64') },
});
