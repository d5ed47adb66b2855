/** Fetches pages as T9 wants it: every address judged, no redirect followed blindly, everything capped. */
import type { WebAnswer, WebPage, WebPages } from '../contract/web.ts';
import {
  addressesOf,
  badUrl,
  closedReason,
  hostOf,
  isOpen,
  type Resolve,
  systemResolve,
} from './open-address.ts';
import { outboundFetch, takenByProxy } from './outbound.ts';
import { readable } from './readable.ts';
import { HEADERS, MOST_BYTES, type RawAnswer, requestPage } from './request-page.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface WebPagesOptions {
  /** Proxies and certificates: with a proxy it is the proxy that connects. */
  readonly env?: Env;
  readonly now?: () => number;
  readonly resolve?: Resolve;
  /** Which addresses may be connected to; the open internet unless given. */
  readonly open?: (address: string) => boolean;
  /** Milliseconds for all of it (default 30,000). */
  readonly timeoutMs?: number;
  /** Text of a PDF document; `problem` is a sentence. Without it such pages are refused. */
  pdf?(
    name: string,
    bytes: Uint8Array,
    signal: AbortSignal,
  ): Promise<{ readonly text: string } | { readonly problem: string }>;
}

const MOST_HOPS = 5;
const FRESH_MS = 15 * 60_000;
const MOST_KEPT = 30;

export const webPages = (options: WebPagesOptions = {}): WebPages => {
  const now = options.now ?? Date.now;
  const timeoutMs = options.timeoutMs ?? 30_000;
  const kept = new Map<string, { readonly at: number; readonly page: WebPage }>();
  const throughProxy = proxied(options.env ?? {});

  const resolve = options.resolve ?? systemResolve;
  const open = options.open ?? isOpen;

  /** One hop. A sentence where the address may not be connected to. */
  const hop = async (url: URL, signal: AbortSignal): Promise<RawAnswer | { readonly refused: string }> => {
    const viaProxy = throughProxy?.takes(url) === true;
    // The proxy looks names up itself; one that means something here must still be an open one.
    const found = await addressesOf(url, resolve).catch((error: unknown) => {
      if (viaProxy) return [];
      throw error;
    });
    const closed = closedReason(url, found, open);
    if (closed !== undefined) return { refused: closed };
    if (viaProxy && throughProxy) return throughProxy.get(url, signal);
    const [first] = found;
    return first ? requestPage(url, first, signal) : { refused: `${hostOf(url)} has no address.` };
  };

  const follow = async (start: URL, signal: AbortSignal): Promise<WebAnswer> => {
    let url = start;
    for (let hops = 0; hops <= MOST_HOPS; hops += 1) {
      const answer = await hop(url, signal);
      if ('refused' in answer)
        return refused(hops === 0 ? answer.refused : `The page redirects there: ${answer.refused}`);
      const { status, location } = answer;
      if (status < 300 || status >= 400 || location === undefined)
        return pageOf(url, answer, options.pdf, signal);
      if (!URL.canParse(location, url.href))
        return refused(`${url.href} redirects to something that is no address.`);
      const next = new URL(location, url.href);
      const bad = badUrl(next.href);
      if (bad) return refused(`${url.href} redirects to an address that is not fetched. ${bad}`);
      if (!isSamePlace(url, next)) {
        return (await closedTo(next)) ?? { kind: 'moved', to: next.href, status };
      }
      url = next;
    }
    return refused(`${start.href} redirects more than ${MOST_HOPS} times.`);
  };

  /** A redirect into a private network is refused at once, not offered. */
  const closedTo = async (url: URL): Promise<WebAnswer | undefined> => {
    const closed = closedReason(url, await addressesOf(url, resolve).catch(() => []), open);
    return closed === undefined ? undefined : refused(`The page redirects to a private address: ${closed}`);
  };

  return {
    async read(address, signal) {
      const bad = badUrl(address);
      if (bad) return refused(bad);
      const url = new URL(address);
      url.hash = '';
      const known = kept.get(url.href);
      if (known && now() - known.at < FRESH_MS) return known.page;
      const limit = AbortSignal.timeout(timeoutMs);
      const answer = await follow(url, AbortSignal.any([signal, limit])).catch(
        (error: unknown): WebAnswer => {
          if (signal.aborted) return { kind: 'interrupted' };
          return refused(
            limit.aborted
              ? `${url.href} did not come to an end within ${timeoutMs / 1000} seconds.`
              : `${url.href} could not be fetched: ${reasonOf(error)}.`,
          );
        },
      );
      if (answer.kind === 'page' && answer.status < 400) {
        kept.delete(url.href);
        kept.set(url.href, { at: now(), page: answer });
        const [oldest] = kept.keys();
        if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      }
      return answer;
    },
  };
};

/** A redirect that is followed by itself: to the same host and port, and never out of an encrypted connection. */
export const isSamePlace = (from: URL, to: URL): boolean =>
  hostOf(to) === hostOf(from) &&
  to.port === from.port &&
  !(from.protocol === 'https:' && to.protocol === 'http:');

const refused = (problem: string): WebAnswer => ({ kind: 'refused', problem });

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause ? String(cause.code) : '';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host is not known';
  if (code === 'ECONNREFUSED') return 'nobody answers there';
  return cause.message.replace(/\.$/, '') || code;
};

const pageOf = async (
  url: URL,
  answer: RawAnswer,
  pdf: WebPagesOptions['pdf'],
  signal: AbortSignal,
): Promise<WebAnswer> => {
  const { bytes, status, cut } = answer;
  const type = answer.type.split(';')[0]?.trim().toLowerCase() ?? '';
  const base = { kind: 'page' as const, url: url.href, status, bytes: bytes.length };
  if (pdf && !cut && bytes.toString('latin1', 0, 5) === '%PDF-') {
    const read = await pdf(url.href, bytes, signal);
    return 'text' in read ? { ...base, text: read.text, notes: [] } : refused(read.problem);
  }
  const notes = cut ? [`The page is longer than ${MOST_BYTES / 1e6} MB; only its beginning was read.`] : [];
  const isPage =
    /html/.test(type) || (type === '' && /^\s*<(!doctype|html)/i.test(bytes.toString('latin1', 0, 200)));
  if (!isPage && !isText(type, bytes))
    return refused(
      `${url.href} is ${type || 'binary data'} (${bytes.length}${cut ? ' or more' : ''} bytes), not a page of text. Download it with a command such as curl and look at the file.`,
    );
  const text = decoded(bytes, answer.type);
  if (!isPage) return { ...base, text, notes };
  const found = await readable(text, url.href, signal);
  if ('interrupted' in found) {
    signal.throwIfAborted();
    return { kind: 'interrupted' };
  }
  if ('failed' in found) return refused(`${url.href} could not be made readable: ${found.failed}.`);
  const { title } = found;
  return {
    ...base,
    ...(title ? { title } : {}),
    text: found.text,
    notes: found.cut && !cut ? ['The page is very long; only its beginning was read.'] : notes,
  };
};

const isText = (type: string, bytes: Buffer): boolean =>
  /^text\/|[/+](json|x-ndjson|jsonl|xml|yaml|toml|javascript|ecmascript|markdown|csv|x-sh)$/.test(type) ||
  (type === '' && !bytes.subarray(0, 4096).includes(0));

/** In the charset that its first bytes, the header or the page itself name, else UTF-8. */
const decoded = (bytes: Buffer, type: string): string => {
  const head = bytes.toString('latin1', 0, 2048);
  const named =
    marked(head) ??
    /charset=["']?([\w-]+)/i.exec(type)?.[1] ??
    /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding=["']([\w-]+)/i.exec(head)?.[1];
  try {
    return new TextDecoder(named ?? 'utf-8').decode(bytes);
  } catch {
    return bytes.toString('utf8');
  }
};

/** What a byte order mark says. */
const marked = (head: string): string | undefined => {
  if (head.startsWith('\xff\xfe')) return 'utf-16le';
  if (head.startsWith('\xfe\xff')) return 'utf-16be';
  return head.startsWith('\xef\xbb\xbf') ? 'utf-8' : undefined;
};

/** Where the environment names a proxy: it connects, with the same caps. */
const proxied = (env: Env) => {
  const fetch = outboundFetch(env);
  if (!fetch) return undefined;
  return {
    takes: takenByProxy(env),
    async get(url: URL, signal: AbortSignal): Promise<RawAnswer> {
      const answer = await fetch(url.href, { headers: HEADERS, redirect: 'manual', signal });
      const location = answer.headers.get('location');
      const head = {
        status: answer.status,
        type: answer.headers.get('content-type') ?? '',
        ...(location ? { location } : {}),
      };
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const part of answer.body ?? []) {
        parts.push(part);
        size += part.length;
        if (size > MOST_BYTES) break;
      }
      return { ...head, bytes: Buffer.concat(parts).subarray(0, MOST_BYTES), cut: size > MOST_BYTES };
    },
  };
};
