/** A web page as markdown a person would call its text. In a worker: pages are written by anybody. */
import { parentPort, workerData } from 'node:worker_threads';
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import type { ReadableTask } from './readable.ts';

const { html, url } = workerData as ReadableTask;

const turndown = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
  hr: '---',
});
turndown.remove(['script', 'style', 'noscript', 'iframe']);
turndown.addRule('pictures', {
  filter: 'img',
  replacement: (_content, node) => {
    const words = 'getAttribute' in node ? (node.getAttribute('alt') ?? '').trim() : '';
    return words === '' ? '' : `[picture: ${words}]`;
  },
});

/** Pages may leave out the tags that hold everything, or have none at all. */
const framed = (): string => {
  if (/<html[\s>]/i.test(html)) return html;
  const content = html.replace(/^\s*<!doctype[^>]*>/i, '');
  return /<body[\s>]/i.test(content) ? `<html>${content}</html>` : `<html><body>${content}</body></html>`;
};

const documentOf = () => {
  const { document } = parseHTML(framed());
  if (document.head && !document.querySelector('base')) {
    const base = document.createElement('base');
    base.setAttribute('href', url);
    document.head.prepend(base);
  }
  return document;
};

const tidy = (text: string): string =>
  text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const document = documentOf();
const title = document.title?.trim() || undefined;
const whole = () => tidy(turndown.turndown(documentOf().body as never));
const article = new Readability(document as never, { charThreshold: 200 }).parse();
const body = article?.content
  ? parseHTML(`<html><body>${article.content}</body></html>`).document.body
  : undefined;
const text = body ? tidy(turndown.turndown(body as never)) : '';
parentPort?.postMessage({ title: article?.title || title, text: text === '' ? whole() : text });
