/** Text of some pages of a PDF, and those pages as a document of their own. */
import { parentPort, workerData } from 'node:worker_threads';
import { PDFDocument } from 'pdf-lib';
import { getDocumentProxy } from 'unpdf';
import type { PdfTask } from './pdf.ts';

const { bytes, first, last, mostPages, mostShown } = workerData as PdfTask;

type Opened = Awaited<ReturnType<typeof getDocumentProxy>>;

const pageText = async (document: Opened, number: number) => {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  return items
    .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
    .join('')
    .trim();
};

const isEncrypted = async (document: Opened): Promise<boolean> => {
  const { info } = await document.getMetadata();
  return 'EncryptFilterName' in info && info.EncryptFilterName !== null;
};

/** Undefined where the pages cannot be taken out: encrypted, or of a kind that the library does not write. */
const cutOut = async (to: number): Promise<Uint8Array | undefined> => {
  try {
    const whole = await PDFDocument.load(bytes);
    const part = await PDFDocument.create();
    const places = Array.from({ length: to - first + 1 }, (_, at) => first - 1 + at);
    for (const page of await part.copyPages(whole, places)) part.addPage(page);
    return await part.save();
  } catch {
    return undefined;
  }
};

const answer = async () => {
  try {
    // The library takes the bytes it is given for its own.
    const document = await getDocumentProxy(bytes.slice(), { verbosity: 0 });
    const total = document.numPages;
    const asked = Math.min(last ?? total, total);
    const to = Math.min(asked, first + mostPages - 1);
    const pages: string[] = [];
    for (let number = first; number <= to; number += 1) pages.push(await pageText(document, number));
    const shows = first <= total && asked - first < mostShown && !(await isEncrypted(document));
    const cut = !shows ? undefined : first === 1 && asked === total ? 'whole' : await cutOut(asked);
    return { total, pages, cut };
  } catch (error) {
    return { problem: error instanceof Error ? error.name : 'Error', detail: String(error) };
  }
};

parentPort?.postMessage(await answer());
