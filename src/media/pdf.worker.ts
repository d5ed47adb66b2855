/** Text of some pages of a PDF. */
import { parentPort, workerData } from 'node:worker_threads';
import { getDocumentProxy } from 'unpdf';
import type { PdfTask } from './pdf.ts';

const { bytes, first, last, mostPages } = workerData as PdfTask;

const pageText = async (document: Awaited<ReturnType<typeof getDocumentProxy>>, number: number) => {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  return items
    .map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : ''))
    .join('')
    .trim();
};

const answer = async () => {
  try {
    const document = await getDocumentProxy(bytes, { verbosity: 0 });
    const total = document.numPages;
    const to = Math.min(last ?? total, total, first + mostPages - 1);
    const pages: string[] = [];
    for (let number = first; number <= to; number += 1) pages.push(await pageText(document, number));
    return { total, pages };
  } catch (error) {
    return { problem: error instanceof Error ? error.name : 'Error', detail: String(error) };
  }
};

parentPort?.postMessage(await answer());
