/** Pages of the open internet for the WebFetch tool. Owner: fetch/. */
export interface WebPages {
  /** Never rejects. */
  read(address: string, signal: AbortSignal): Promise<WebAnswer>;
}

export type WebAnswer =
  | WebPage
  /** It leads to another host, which nobody has agreed to yet. */
  | { readonly kind: 'moved'; readonly to: string; readonly status: number }
  /** A sentence. */
  | { readonly kind: 'refused'; readonly problem: string }
  | { readonly kind: 'interrupted' };

export interface WebPage {
  readonly kind: 'page';
  /** Where it was found after redirects within its host. */
  readonly url: string;
  readonly status: number;
  readonly title?: string;
  /** Readable markdown of a web page; other text as it is. */
  readonly text: string;
  /** Bytes received and unpacked. */
  readonly bytes: number;
  /** One sentence each: what is missing from the text. */
  readonly notes: readonly string[];
}
