import * as z from 'zod';
import type { ToolOutcome } from '../contract/tool.ts';
import { inWorker, workerFile } from '../lib/in-worker.ts';

const MOST_PAGES = 20;
const MOST_CHARS = 100_000;
const READ_MS = 60_000;

export interface PdfTask {
  readonly bytes: Uint8Array;
  /** From 1. */
  readonly first: number;
  /** Included; absent: to the end. */
  readonly last?: number;
  readonly mostPages: number;
}

const Answer = z.union([
  z.object({ total: z.number(), pages: z.array(z.string()) }),
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

/** The text of a PDF, page by page. */
export const readPdf = async (
  path: string,
  bytes: Uint8Array,
  pages: string | undefined,
  signal: AbortSignal,
): Promise<ToolOutcome> => {
  const error = (text: string): ToolOutcome => ({ status: 'error', text });
  const range = pageRange(pages);
  if (!range) return error(`"pages" of Read takes a page or a range, such as 3 or 1-5, not "${pages}".`);
  const task: PdfTask = { bytes, ...range, mostPages: MOST_PAGES };
  const end = await inWorker({ file: workerFile('pdf', import.meta.url), task, signal, timeoutMs: READ_MS });
  if ('interrupted' in end) return { status: 'cancelled', text: 'Interrupted.' };
  if ('failed' in end) return error(`${path} could not be read as a PDF: ${end.failed}.`);
  const answer = Answer.parse(end.answer);
  if ('problem' in answer) return error(`${path} ${troubleWith(answer.problem, answer.detail)}`);
  const { total } = answer;
  if (range.first > total)
    return error(
      `${path} has ${total} ${total === 1 ? 'page' : 'pages'}; page ${range.first} is behind its end.`,
    );
  return report(path, bytes.length, range, total, answer.pages);
};

const troubleWith = (problem: string, detail: string): string => {
  if (problem === 'PasswordException')
    return 'is protected by a password, so it cannot be read. Ask for a copy without one.';
  if (problem === 'InvalidPDFException') return 'is damaged or no PDF: its structure cannot be read.';
  return `could not be read as a PDF: ${detail}`;
};

const report = (
  path: string,
  size: number,
  range: { readonly first: number; readonly last?: number },
  total: number,
  pages: readonly string[],
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
  const body = shown.join('\n\n');
  return {
    status: 'ok',
    text: body,
    display: { kind: 'code', path, summary: `${next - range.first} of ${total} pages`, body },
    response: {
      type: 'pdf',
      file: {
        filePath: path,
        originalSize: size,
        firstPage: range.first,
        numPages: next - range.first,
        totalPages: total,
      },
    },
  };
};
