/** What is read of an answer: part of the platform's `Response`, without the client that comes with it. */
export interface Answer extends Pick<Response, 'status' | 'ok' | 'url' | 'headers' | 'text' | 'json'> {
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** No answer that is read as a whole is longer, in characters: packed ones may grow a thousandfold. */
const MOST = 16 << 20;

export const answerOf = (
  body: AsyncIterable<Uint8Array> | null,
  { status, url, headers }: { readonly status: number; readonly url: string; readonly headers: Headers },
): Answer => {
  const text = async (): Promise<string> => {
    const decoder = new TextDecoder();
    let read = '';
    for await (const piece of body ?? []) {
      read += decoder.decode(piece, { stream: true });
      if (read.length > MOST) break;
    }
    return read + decoder.decode();
  };
  return {
    status,
    ok: status >= 200 && status < 300,
    url,
    headers,
    body,
    text,
    json: async () => JSON.parse(await text()),
  };
};
