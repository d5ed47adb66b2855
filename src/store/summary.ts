/** What a list of sessions shows, from the head and the tail of a file, whatever lies between. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import type { SessionId } from '../contract/ids.ts';
import { textOf } from '../contract/message.ts';
import type { SessionSummary } from '../contract/store.ts';
import type { Entry } from '../contract/transcript.ts';
import { openRegularSync } from '../lib/regular-file.ts';
import { shortTitle } from '../lib/short-title.ts';
import { entryOf } from './lines.ts';
import { TITLE_EVERY } from './writer.ts';

const HEAD = 32 * 1024;
/** The first prompt may come after long instructions. */
const MAX_HEAD = 2 * 1024 * 1024;
const TAIL = TITLE_EVERY + 8 * 1024;
const TITLE_LENGTH = 200;

/**
 * Throws only when the file cannot be read; a file of rubbish is summed up as well as it goes. Reads at once, not in
 * the background: a thousand files take a tenth of the time that way. Callers take a breath between files.
 */
export const summarise = (path: string): SessionSummary => {
  const { fd: file } = openRegularSync(path, Number.POSITIVE_INFINITY);
  try {
    const { size, mtimeMs, birthtimeMs } = fstatSync(file);
    const head = readHead(file, size);
    const tail = size <= head.bytes ? head.text : part(file, size - Math.min(TAIL, size), size);
    const last = lastStamp(tail);
    const prompt = head.prompt ?? '';
    const title = lastTitle(tail) ?? lastTitle(head.text) ?? head.opened?.title;
    return {
      id: basename(path, '.jsonl') as SessionId,
      path,
      project: head.opened?.project ?? '',
      cwd: head.opened?.cwd ?? '',
      ...(last.branch ? { branch: last.branch } : {}),
      title: (title ?? shortTitle(prompt) ?? '').slice(0, TITLE_LENGTH),
      firstPrompt: prompt,
      startedAt: head.startedAt ?? new Date(birthtimeMs || mtimeMs).toISOString(),
      updatedAt: last.at ?? new Date(mtimeMs).toISOString(),
      messages:
        size <= head.bytes
          ? spoken(head.text)
          : Math.round((spoken(head.text) + spoken(tail)) * (size / (head.bytes + tail.length))),
      bytes: size,
      headless: head.opened?.headless === true,
    };
  } finally {
    closeSync(file);
  }
};

interface Head {
  readonly text: string;
  readonly bytes: number;
  readonly opened?: Extract<Entry, { type: 'opened' }>;
  readonly prompt?: string;
  readonly startedAt?: string;
}

const readHead = (file: number, size: number): Head => {
  for (let bytes = Math.min(HEAD, size); ; bytes = Math.min(bytes * 8, size, MAX_HEAD)) {
    const text = part(file, 0, bytes);
    const head = lookThrough(text, bytes);
    if (head.prompt !== undefined || bytes === size || bytes >= MAX_HEAD) return head;
  }
};

const lookThrough = (text: string, bytes: number): Head => {
  let opened: Extract<Entry, { type: 'opened' }> | undefined;
  let startedAt: string | undefined;
  for (const line of text.split('\n')) {
    if (!line.startsWith('{') || !/"type":"(coppice-opened|user)"/.test(line)) continue;
    const entry = entryOf(line);
    if (entry === undefined || entry === 'skip') continue;
    startedAt ??= entry.timestamp;
    if (entry.type === 'opened') opened ??= entry;
    if (entry.type === 'user' && entry.origin.kind === 'person' && entry.meta !== true) {
      return {
        text,
        bytes,
        ...(opened ? { opened } : {}),
        prompt: entry.display ?? textOf(entry.content),
        startedAt,
      };
    }
  }
  return { text, bytes, ...(opened ? { opened } : {}), ...(startedAt ? { startedAt } : {}) };
};

/** Bytes of an open file as text. */
export const part = (file: number, from: number, to: number): string => {
  const bytes = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < bytes.length) {
    const bytesRead = readSync(file, bytes, filled, bytes.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.toString('utf8', 0, filled);
};

/** A title a person gave wins over one that was made up, each time the latest. */
const lastTitle = (text: string): string | undefined =>
  titleAfter(text, '{"type":"custom-title"') ?? titleAfter(text, '{"type":"summary"');

const titleAfter = (text: string, mark: string): string | undefined => {
  // Searching forwards is many times as fast, and most parts hold no title.
  if (!text.includes(mark)) return undefined;
  for (let at = text.lastIndexOf(mark); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(mark, at - 1)) {
    if (at > 0 && text[at - 1] !== '\n') continue;
    const end = text.indexOf('\n', at);
    try {
      const line: unknown = JSON.parse(text.slice(at, end === -1 ? undefined : end));
      if (typeof line !== 'object' || line === null) continue;
      const title = 'customTitle' in line ? line.customTitle : 'summary' in line ? line.summary : undefined;
      if (typeof title === 'string' && title !== '') return title;
    } catch {
      // A torn line: the one before it counts.
    }
  }
  return undefined;
};

/** Time and branch of the last line that has them; the stamps stand near the ends of a line. */
const lastStamp = (tail: string): { readonly at?: string; readonly branch?: string } => {
  const at = tail.slice(tail.lastIndexOf('"timestamp":"')).match(/^"timestamp":"([^"]{10,40})"/)?.[1];
  const branch = tail.slice(tail.lastIndexOf('"gitBranch":"')).match(/^"gitBranch":"([^"\\]+)"/)?.[1];
  return {
    ...(at !== undefined && !Number.isNaN(Date.parse(at)) ? { at } : {}),
    ...(branch ? { branch } : {}),
  };
};

/** Inside texts the quotes are escaped, so that these marks stand at the places of fields only. */
const spoken = (text: string): number =>
  text.split('"type":"user","message":').length + text.split('"type":"assistant","message":').length - 2;
