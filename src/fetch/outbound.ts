import { readFile } from 'node:fs/promises';

type Env = Readonly<Record<string, string | undefined>>;
type Fetch = typeof globalThis.fetch;

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

/** Variables that name files with certificates, and what to call the connection's part they fill. */
const CERTIFICATES = {
  ca: ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'],
  cert: ['COPPICE_CLIENT_CERT', 'CLAUDE_CODE_CLIENT_CERT'],
  key: ['COPPICE_CLIENT_KEY', 'CLAUDE_CODE_CLIENT_KEY'],
  passphrase: ['COPPICE_CLIENT_KEY_PASSPHRASE', 'CLAUDE_CODE_CLIENT_KEY_PASSPHRASE'],
} as const;

const firstSet = (env: Env, names: readonly string[]): { name: string; value: string } | undefined =>
  names.map((name) => ({ name, value: env[name]?.trim() ?? '' })).find(({ value }) => value !== '');

const fileOf = async (env: Env, names: readonly string[]): Promise<string | undefined> => {
  const set = firstSet(env, names);
  if (!set) return undefined;
  try {
    return await readFile(set.value, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const why = `${set.name} names ${set.value}, which cannot be read (${code}). Correct the variable or unset it.`;
    throw Object.assign(new Error(why), { code: 'ENOENT' });
  }
};

/**
 * A `fetch` that goes through the proxy and with the certificates that the environment names (`HTTPS_PROXY`,
 * `HTTP_PROXY`, `NO_PROXY`, `NODE_EXTRA_CA_CERTS`, `COPPICE_CLIENT_CERT` and `_KEY`); undefined where it names
 * none, so that the built-in one serves. The library behind it is loaded with the first request, which fails
 * with a sentence where a named file cannot be read.
 */
export const outboundFetch = (env: Env): Fetch | undefined => {
  const certified = firstSet(env, [...CERTIFICATES.ca, ...CERTIFICATES.cert]) !== undefined;
  const proxied = firstSet(env, PROXIES) !== undefined;
  if (!certified && !proxied) return undefined;
  let ready: Promise<Fetch> | undefined;
  return async (input, init) => {
    // To name `Request` here would load the built-in client, whichever serves.
    const address = typeof input === 'string' || input instanceof URL ? String(input) : input.url;
    if (!proxied && address.startsWith('http:')) return globalThis.fetch(input, init);
    ready ??= loaded(env);
    return (await ready)(input, init);
  };
};

const loaded = async (env: Env): Promise<Fetch> => {
  const [extra, cert, key] = await Promise.all([
    fileOf(env, CERTIFICATES.ca),
    fileOf(env, CERTIFICATES.cert),
    fileOf(env, CERTIFICATES.key),
  ]);
  const { createAgent, send } = await import('./undici-parts.ts');
  const tls = {
    ...(extra === undefined
      ? {}
      : { ca: [...process.getBuiltinModule('node:tls').getCACertificates('default'), extra] }),
    ...(cert === undefined ? {} : { cert, key: key ?? cert }),
    passphrase: firstSet(env, CERTIFICATES.passphrase)?.value,
  };
  const httpsProxy = firstSet(env, ['HTTPS_PROXY', 'https_proxy'])?.value ?? '';
  const httpProxy = firstSet(env, ['HTTP_PROXY', 'http_proxy'])?.value ?? '';
  const dispatcher = createAgent({
    httpProxy,
    httpsProxy: httpsProxy || httpProxy,
    noProxy: firstSet(env, ['NO_PROXY', 'no_proxy'])?.value ?? '',
    connect: tls,
    requestTls: tls,
    // Limits are the caller's: a local model may think for minutes before its first byte.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return async (input: string | URL | Request, init: RequestInit = {}) => {
    const { body, headers, method, redirect, signal } = init;
    if (body && typeof body !== 'string')
      throw new TypeError('A request through a proxy takes text as its body.');
    const sent = body ?? undefined;
    const options = { body: sent, headers: [...new Headers(headers)], method, redirect, signal, dispatcher };
    const answer = await send(input instanceof Request ? input.url : input, options);
    // The platform's own class: whoever asks `instanceof Response` is answered yes.
    return new Response(answer.body && relayed(answer.body), {
      status: answer.status,
      headers: [...answer.headers],
    });
  };
};

const relayed = (body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> => {
  const pieces = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await pieces.return?.()),
  });
};
