import { readFile } from 'node:fs/promises';
import { spared } from './no-proxy.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Fetch = typeof globalThis.fetch;

const HTTPS = ['https_proxy', 'HTTPS_PROXY'] as const;
const HTTP = ['http_proxy', 'HTTP_PROXY'] as const;
const NONE = ['no_proxy', 'NO_PROXY'] as const;

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
    throw lasting(why);
  }
};

/** A value without a scheme is a host and perhaps a port, as for other programs. */
const proxyAddress = (env: Env, names: readonly string[]): string | undefined => {
  const set = firstSet(env, names);
  if (!set) return undefined;
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(set.value) ? set.value : `http://${set.value}`;
  if (URL.canParse(whole)) return whole;
  throw lasting(
    `${set.name} is not an address: "${set.value}". It begins with http:// or https:// and a host name.`,
  );
};

/** Trying again does not help. */
const lasting = (why: string): Error => Object.assign(new Error(why), { code: 'ENOENT' });

/** Whether a request to an address goes through a proxy that the environment names. Small letters count first. */
export const takenByProxy = (env: Env): ((url: URL) => boolean) => {
  const http = firstSet(env, HTTP) !== undefined;
  const https = http || firstSet(env, HTTPS) !== undefined;
  const direct = spared(firstSet(env, NONE)?.value ?? '');
  return (url) => (url.protocol === 'https:' ? https : http) && !direct(url);
};

/**
 * A `fetch` that goes through the proxy and with the certificates that the environment names (`HTTPS_PROXY`,
 * `HTTP_PROXY`, `NO_PROXY`, `NODE_EXTRA_CA_CERTS`, `COPPICE_CLIENT_CERT` and `_KEY`); undefined where it names
 * none, so that the built-in one serves. The library behind it is loaded with the first request, which fails
 * with a sentence where a named file cannot be read.
 */
export const outboundFetch = (env: Env): Fetch | undefined => {
  const certified = firstSet(env, [...CERTIFICATES.ca, ...CERTIFICATES.cert]) !== undefined;
  const proxied = firstSet(env, [...HTTPS, ...HTTP]) !== undefined;
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
  const { createAgent, createDirect, send } = await import('./undici-parts.ts');
  const tls = {
    ...(extra === undefined
      ? {}
      : { ca: [...process.getBuiltinModule('node:tls').getCACertificates('default'), extra] }),
    ...(cert === undefined ? {} : { cert, key: key ?? cert }),
    passphrase: firstSet(env, CERTIFICATES.passphrase)?.value,
  };
  const httpProxy = proxyAddress(env, HTTP) ?? '';
  const httpsProxy = proxyAddress(env, HTTPS) ?? httpProxy;
  // Limits are the caller's: a local model may think for minutes before its first byte.
  const common = { connect: tls, headersTimeout: 0, bodyTimeout: 0 };
  const direct = createDirect(common);
  // The library reads NO_PROXY otherwise (a port behind a v6 address, ranges, a star among others): it is given none.
  const proxy = createAgent({ ...common, httpProxy, httpsProxy, noProxy: '', requestTls: tls });
  const takes = takenByProxy(env);
  return async (input: string | URL | Request, init: RequestInit = {}) => {
    const { body, headers, method, redirect, signal } = init;
    if (body && typeof body !== 'string')
      throw new TypeError('A request through a proxy takes text as its body.');
    const sent = body ?? undefined;
    const url = new URL(input instanceof Request ? input.url : input);
    const dispatcher = takes(url) ? proxy : direct;
    const options = { body: sent, headers: [...new Headers(headers)], method, redirect, signal, dispatcher };
    const answer = await send(url, options);
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
