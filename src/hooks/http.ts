/** Hooks of type http: the input is POSTed, the answer is read like the JSON of a command (conventions 1). */
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { type Reachable, reachable } from './address.ts';
import { within } from './clock.ts';
import { isCredential, type Variables } from './environment.ts';
import { wordsFor } from './exit-code.ts';
import { noAnswer, unsaid } from './no-answer.ts';
import { OUTPUT_CAP } from './process.ts';
import { asFields, readReply } from './reply.ts';
import type { Ran, RunCall, Runner } from './runner.ts';
import { refuses } from './verdict.ts';

export interface HttpPorts {
  env(): Variables;
  /** The person's own settings; a project's hooks cannot widen them. */
  httpLimits(): { readonly urls?: readonly string[]; readonly variables?: readonly string[] };
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly cut: boolean;
}

const CONTROL = /[\r\n\0]/g;
/** These belong to the connection. */
const OURS = /^(?:host|content-length|transfer-encoding|connection|expect|upgrade|te|trailer|proxy-.*)$/i;

/**
 * `$NAME` and `${NAME}` in a header's value become the variable if it is in `allowedEnvVars`, else nothing.
 * Line ends are taken out: a value cannot begin another header. Credentials of the model's provider never go out.
 */
export const fillHeader = (
  value: string,
  allowed: readonly string[],
  env: Variables,
): { readonly value: string; readonly refused: readonly string[] } => {
  const refused: string[] = [];
  const filled = value.replace(
    /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
    (_, braced: string, bare: string) => {
      const name = braced ?? bare;
      if (allowed.includes(name) && !isCredential(name)) return env[name] ?? '';
      refused.push(name);
      return '';
    },
  );
  return { value: filled.replace(CONTROL, ''), refused };
};

const headersOf = (call: RunCall<Http>, ports: HttpPorts) => {
  const limit = ports.httpLimits().variables;
  const allowed = (call.handler.allowedEnvVars ?? []).filter((name) => limit?.includes(name) ?? true);
  const refused: string[] = [];
  const headers: Record<string, string> = {};
  for (const [name, raw] of Object.entries(call.handler.headers ?? {})) {
    if (OURS.test(name) || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) {
      refused.push(`header ${JSON.stringify(name)} cannot be set`);
      continue;
    }
    const filled = fillHeader(raw, allowed, ports.env());
    headers[name.toLowerCase()] = filled.value;
    refused.push(...filled.refused.map((one) => `$${one} is not in allowedEnvVars and was left empty`));
  }
  return { headers, refused };
};

type Http = Extract<RunCall['handler'], { readonly type: 'http' }>;

const read = async (answer: IncomingMessage): Promise<Reply> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > OUTPUT_CAP) break;
  }
  const body = Buffer.concat(chunks).subarray(0, OUTPUT_CAP).toString('utf8');
  return { status: answer.statusCode ?? 0, body, cut: size > OUTPUT_CAP };
};

/** Connects to the address that was checked and to no other; redirects are answers, not orders. */
const post = (
  url: URL,
  to: Exclude<Reachable, { readonly refused: string }>,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'coppice',
        ...headers,
        'content-length': Buffer.byteLength(body),
      },
      agent: false,
      signal,
      lookup: (_host, options, done) =>
        options.all ? done(null, [{ ...to }]) : done(null, to.address, to.family),
    });
    request.once('response', (answer) => {
      read(answer)
        .then(resolve, reject)
        .finally(() => request.destroy());
    });
    request.on('error', reject);
    request.end(body);
  });

/** Reads an answer: a status alone never blocks. */
const readAnswer = (call: RunCall, reply: Reply, name: string, remarks: readonly string[]): Ran => {
  const base = { ...unsaid, stdout: reply.body };
  const odd = (why: string, unsure?: string): Ran => ({
    ...base,
    stderr: why,
    outcome: 'error',
    notices: [...remarks, `${name} ${why}`],
    ...(unsure ? { unsure } : {}),
  });
  if (reply.cut) return odd('answered more than 1 MB.', `${name} answered more than 1 MB.`);
  if (reply.status >= 300 && reply.status < 400)
    return odd(`answered with a redirect (${reply.status}); redirects are not followed.`);
  if (reply.status < 200 || reply.status >= 300) return odd(`answered with status ${reply.status}.`);
  const text = reply.body.trim();
  if (text === '') return { ...base, outcome: 'success', notices: remarks };
  const fields = parse(text);
  if (!fields) return odd('answered something that is not a JSON object.');
  if (call.background) return { ...base, outcome: 'success', notices: remarks, later: wordsFor(text) };
  const { verdict, faults, remarks: more } = readReply(call.event, call.payload, fields, call.by);
  return {
    ...base,
    verdict,
    outcome: refuses(verdict) ? 'blocked' : faults.length > 0 ? 'error' : 'success',
    notices: [...remarks, ...[...faults, ...more].map((one) => `${name}: ${one}.`)],
  };
};

const parse = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    return asFields(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

export const httpRunner =
  (ports: HttpPorts): Runner<'http'> =>
  async (call): Promise<Ran> => {
    const name = `${call.event} hook ${call.by}`;
    if (!URL.canParse(call.handler.url))
      return noAnswer(name, 'error', 'could not start: its url is not an address.');
    const url = new URL(call.handler.url);
    const { headers, refused } = headersOf(call, ports);
    const remarks = refused.map((one) => `${name}: ${one}.`);
    const result = await within(call.timeoutMs, call.signal, async (signal) => {
      const to = await reachable(url, ports.httpLimits().urls);
      if ('refused' in to) return { refused: to.refused };
      call.started();
      return post(url, to, headers, call.input, signal);
    }).catch((error: unknown) => ({
      done: { refused: error instanceof Error ? error.message || String(error) : String(error) },
    }));
    if (result === 'cancelled') return { ...unsaid, outcome: 'cancelled', notices: [] };
    if (result === 'timeout')
      return noAnswer(name, 'timeout', `gave no answer in ${call.timeoutMs / 1000} s, its time limit.`);
    if ('refused' in result.done) return noAnswer(name, 'error', `was not answered: ${result.done.refused}`);
    return readAnswer(call, result.done, name, remarks);
  };
