import type { Failure, FailureKind } from '../contract/model.ts';
import { mask } from '../lib/mask.ts';
import type { Trouble } from './trouble.ts';

/** What a sentence may name. */
export interface Setting {
  readonly model: string;
  /** Base address, without user and password. */
  readonly address: string;
  /** True for the service itself. */
  readonly home: boolean;
  /** How a person knows the credential in use; undefined without one. */
  readonly credential: string | undefined;
  /** Variable that names a proxy, where one is in use. */
  readonly proxy?: string;
  readonly secrets: readonly string[];
}

type Http = Extract<Trouble, { kind: 'http' }>;

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 409, 429]);
const NO_SUCH_HOST: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_AGAIN']);
const CERTIFICATE = /^(ERR_TLS|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_SSL)|HOSTNAME_MISMATCH|ALTNAME/;

/** Puts a trouble into one sentence that says what failed and what to do. Holds no secret. */
export const failureOf = (trouble: Trouble, setting: Setting): Failure => {
  const failure = worded(trouble, setting);
  return { ...failure, text: mask(failure.text, setting.secrets) };
};

const worded = (trouble: Trouble, setting: Setting): Failure => {
  const { address } = setting;
  switch (trouble.kind) {
    case 'http':
      return httpFailure(trouble, setting);
    case 'event':
      return eventFailure(trouble.type, trouble.message, setting);
    case 'network':
      return networkFailure(trouble.code, trouble.message, setting);
    case 'timeout':
      return lost(
        `${address} did not answer within ${seconds(trouble.ms)}. Try again; API_TIMEOUT_MS sets the limit.`,
      );
    case 'stall':
      return lost(
        `The connection was lost: the answer stopped coming for ${seconds(trouble.ms)}. Try again; COPPICE_STREAM_IDLE_MS sets the limit.`,
      );
    case 'closed':
      return lost('The connection was lost: the answer ended before it was complete. Try again.');
    case 'nonsense':
      return {
        kind: 'server_error',
        text: `${address} answered, but not in the format of the Messages API (${trouble.what}). ${checkAddress(setting)}`,
        retryable: false,
      };
    case 'credential':
      return {
        kind: 'authentication_failed',
        text: `${setting.credential ?? 'The credential helper'} did not give a key: ${trouble.message}. Check the command in your settings.`,
        retryable: false,
      };
    case 'header':
      return {
        kind: 'invalid_request',
        text: `The header ${trouble.name || 'without a name'} cannot be sent: its name or value has characters that no header may have. Check ${headerSource(trouble.name, setting)}.`,
        retryable: false,
      };
    case 'address':
      return {
        kind: 'invalid_request',
        text: `ANTHROPIC_BASE_URL is not an address: "${trouble.url}". It begins with http:// or https:// and a host name.`,
        retryable: false,
      };
    case 'interrupted':
      return { kind: 'interrupted', text: 'Interrupted.', retryable: false };
  }
};

const headerSource = (name: string, { credential }: Setting): string =>
  ['authorization', 'x-api-key'].includes(name.toLowerCase()) && credential
    ? `the value of ${credential}`
    : 'ANTHROPIC_CUSTOM_HEADERS';

const lost = (text: string): Failure => ({ kind: 'connection', text, retryable: true });

const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`);

const checkAddress = ({ home }: Setting): string =>
  home
    ? 'Check the network, or try again later.'
    : 'Check that ANTHROPIC_BASE_URL names a server that speaks the Messages API.';

const said = (message: string | undefined): string => (message ? ` The server says: ${message}` : '');

const CONTEXT =
  /prompt is too long|too many (total )?tokens|context (window|length|limit|size)|maximum context|exceed_context|input length and/i;
const BILLING = /credit balance|billing|payment|purchase credits|insufficient (funds|quota)/i;

const httpFailure = (trouble: Http, setting: Setting): Failure => {
  const { status, type, message } = trouble;
  const { model, address, home } = setting;
  const is = (kind: FailureKind, text: string): Failure => ({
    kind,
    text,
    status,
    retryable: RETRYABLE_STATUS.has(status) || status >= 500,
  });
  const words = message ?? '';
  if (status === 401) return is('authentication_failed', refusedCredential(setting, words));
  if (status === 402 || type === 'billing_error' || ([400, 403].includes(status) && BILLING.test(words)))
    return is('billing_error', `The account cannot pay for this request.${said(message)}`);
  if (status === 403)
    return is(
      'authentication_failed',
      `${setting.credential ?? 'No credential'} is not allowed to make this request to ${address} (403).${said(message)}`,
    );
  if (status === 404 && (type === 'not_found_error' || /model/i.test(words)))
    return is(
      'model_not_found',
      `${address} has no model "${model}", or this credential may not use it (404). Choose another with --model or /model.`,
    );
  if (status === 404 || status === 405)
    return is(
      'invalid_request',
      `${address} has no Messages API (${status}). ${home ? 'Try again later.' : checkAddress(setting)}`,
    );
  if (status === 413 || ((status === 400 || status === 422) && CONTEXT.test(words)))
    return is(
      'context_exceeded',
      `The conversation is too long for ${model}: use /compact to shorten it, or /clear to start anew.${said(message)}`,
    );
  if (status === 429)
    return is(
      'rate_limit',
      `The rate limit of ${setting.credential ?? address} is reached (429).${said(message)}`,
    );
  if (status === 529 || type === 'overloaded_error')
    return is('overloaded', `${model} is overloaded (${status}).`);
  if (status >= 500 || RETRYABLE_STATUS.has(status))
    return is('server_error', `${address} failed with status ${status}.${said(message)}`);
  return is('invalid_request', `${address} refused the request (${status}).${said(message)}`);
};

const refusedCredential = ({ credential, address, home }: Setting, words: string): string => {
  if (credential === undefined)
    return `${address} wants a credential, and none is set: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.`;
  const where = home
    ? 'Check its value, or make a new key in the console'
    : `Check that it belongs to ${address}`;
  return `${credential} was refused by ${address} (401). ${where}.${said(words)}`;
};

const EVENT_KINDS: Readonly<Record<string, FailureKind>> = {
  overloaded_error: 'overloaded',
  rate_limit_error: 'rate_limit',
  api_error: 'server_error',
  timeout_error: 'server_error',
  authentication_error: 'authentication_failed',
  permission_error: 'authentication_failed',
  billing_error: 'billing_error',
  invalid_request_error: 'invalid_request',
  not_found_error: 'model_not_found',
};
const PASSING: ReadonlySet<FailureKind> = new Set(['overloaded', 'rate_limit', 'server_error']);

const eventFailure = (type: string | undefined, message: string | undefined, { model }: Setting): Failure => {
  const kind =
    (type !== undefined && Object.hasOwn(EVENT_KINDS, type) && EVENT_KINDS[type]) || 'server_error';
  const text =
    kind === 'overloaded'
      ? `${model} became overloaded while it answered. Try again.`
      : `The server broke off its answer${type ? ` (${type})` : ''}.${said(message)}`;
  return { kind, text, retryable: PASSING.has(kind) };
};

const networkFailure = (code: string | undefined, message: string, setting: Setting): Failure => {
  const { address, proxy } = setting;
  const via = proxy ? ` through the proxy that ${proxy} names` : '';
  const check = proxy ? `${proxy} and ANTHROPIC_BASE_URL` : 'ANTHROPIC_BASE_URL';
  const of = (text: string, retryable = true): Failure => ({ kind: 'connection', text, retryable });
  if (code === 'ECONNREFUSED')
    return of(
      `Nothing answers at ${address}${via} (connection refused). Check that the server runs, and ${check}.`,
    );
  if (code !== undefined && NO_SUCH_HOST.has(code))
    return of(`There is no host at ${address}${via} (${code}). Check the network connection, and ${check}.`);
  if (code !== undefined && CERTIFICATE.test(code))
    return of(
      `The certificate of ${address} is not trusted (${code}). If it is your own, name its file in NODE_EXTRA_CA_CERTS.`,
      false,
    );
  if (code === 'ENOENT' || code === 'EACCES') return of(message, false);
  return of(`The connection to ${address}${via} was lost (${code ?? message}). Try again.`);
};

const NOT_THERE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  ...NO_SUCH_HOST,
]);

/** Nobody there, or nobody who answers: more than a few tries are no use. */
export const isUnreachable = (trouble: Trouble): boolean =>
  trouble.kind === 'timeout' ||
  (trouble.kind === 'network' && trouble.code !== undefined && NOT_THERE.has(trouble.code));
