import { randomUUID } from 'node:crypto';
import { noUsage } from '../contract/message.ts';
import type { Failure, ModelClient, ModelEvent, ModelRequest } from '../contract/model.ts';
import { steadyNow } from '../lib/steady-now.ts';
import { type Assembler, createAssembler } from './assemble.ts';
import { attempt } from './attempt.ts';
import { buildBody, thinkingProofs } from './body.ts';
import { baseUrlOf, isAddress, isHome, type ModelClientConfig } from './config.ts';
import { createConnection } from './connection.ts';
import { countTokens } from './count.ts';
import { createCredentials } from './credentials.ts';
import { failureOf, isUnreachable, type Setting } from './failure.ts';
import { shows } from './left-out.ts';
import { lessonOf, type Quirk } from './quirks.ts';
import { delayOf, LONGEST_WAIT_MS, retryAfterMs, waited } from './retry.ts';
import { thinkingBetas } from './thinking.ts';
import type { Trouble } from './trouble.ts';

/** Tries after which an unreachable host is given up. */
const UNREACHABLE_TRIES = 3;
/** Tries after which an overloaded model gives way to the next fallback. */
const OVERLOADED_TRIES = 3;

/** A client of the Messages API: Anthropic's, or any server that speaks it. Nothing is loaded before the first request. */
export const createModelClient = (config: ModelClientConfig): ModelClient => {
  const credentials = createCredentials(config);
  const connection = createConnection(config, credentials);
  const quirks = new Set<Quirk>();
  const refusedThinking = new Set<string>();
  const restingUntil = new Map<string, number>();
  const caching = !isOn(config.env?.DISABLE_PROMPT_CACHING);
  const maxRetries = config.maxRetries ?? 9;

  const wishedTokens = Number.parseInt(config.env?.CLAUDE_CODE_MAX_OUTPUT_TOKENS ?? '', 10);
  const maxTokens = wishedTokens > 0 ? wishedTokens : undefined;

  const bodyOf = (request: ModelRequest) =>
    buildBody({ maxTokens, ...request }, { caching, quirks, refusedThinking, facts: config.facts });

  const settingOf = (model: string): Setting => ({
    model,
    address: shownAddress(config),
    home: isHome(config),
    credential: credentials.name,
    proxy: proxyOf(config),
    secrets: [...credentials.secrets(), ...addressSecrets(config)],
  });

  const rested = (model: string): boolean => (restingUntil.get(model) ?? 0) <= steadyNow();

  /** Takes a lesson from a refusal; true when the next try will be another request. */
  const learn = (trouble: Trouble, request: ModelRequest): boolean => {
    const lesson = lessonOf(trouble);
    if (lesson === undefined) return false;
    if ((lesson === 'no-documents' || lesson === 'no-images') && !shows(request.messages, lesson))
      return false;
    if (lesson !== 'refused-thinking') {
      const known = quirks.has(lesson);
      quirks.add(lesson);
      return !known;
    }
    const before = refusedThinking.size;
    for (const proof of thinkingProofs(request.messages)) refusedThinking.add(proof);
    return refusedThinking.size > before;
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, undefined> {
    const models = [request.model, ...(config.fallbackModels ?? []).filter((id) => id !== request.model)];
    let at = Math.max(0, models.findIndex(rested));
    if (at > 0) yield { type: 'fallback', from: request.model, to: models[at] ?? request.model };
    let tried = 0;
    let busy = 0;
    let apiMs = 0;
    for (;;) {
      const current: ModelRequest = { ...request, model: models[at] ?? request.model };
      const setting = settingOf(current.model);
      const assembler = createAssembler({ model: current.model, taken: idsOf(request), newId: shortId });
      if (!isAddress(config))
        return yield failed(failureOf({ kind: 'address', url: setting.address }, setting), assembler);
      const began = performance.now();
      const end = yield* attempt({
        connection,
        body: bodyOf(current),
        betas: [...(config.betas ?? []), ...thinkingBetas(current)],
        assembler,
        signal,
        streamIdleMs: config.streamIdleMs ?? 120_000,
        timeoutMs: config.timeoutMs ?? 600_000,
        partials: config.partials ?? false,
      });
      apiMs += performance.now() - began;
      if (end.kind === 'done') {
        yield {
          type: 'done',
          message: assembler.message(),
          requestId: end.requestId,
          apiMs: Math.round(apiMs),
        };
        return;
      }
      const { trouble } = end;
      const failure = failureOf(trouble, setting);
      if (assembler.shown()) return yield failed(failure, assembler);
      if (learn(trouble, current)) continue;
      if (failure.status === 401 && credentials.forget()) continue;
      tried += 1;
      busy = failure.kind === 'overloaded' ? busy + 1 : 0;
      const next = models.findIndex((id, place) => place > at && rested(id));
      if (busy >= OVERLOADED_TRIES && next > 0) {
        restingUntil.set(current.model, steadyNow() + (config.restMs ?? 300_000));
        yield { type: 'fallback', from: current.model, to: models[next] ?? request.model };
        at = next;
        busy = 0;
        continue;
      }
      const limit = isUnreachable(trouble) ? Math.min(maxRetries, UNREACHABLE_TRIES - 1) : maxRetries;
      const asked = trouble.kind === 'http' ? retryAfterMs(trouble.headers, Date.now()) : undefined;
      if (!failure.retryable || tried > limit || forbids(trouble) || (asked ?? 0) > LONGEST_WAIT_MS)
        return yield failed(tooLong(failure, asked), assembler);
      const delayMs = delayOf(tried, asked, { base: config.retryBaseMs });
      yield { type: 'retry', attempt: tried, of: limit, delayMs, failure };
      if (!(await waited(delayMs, signal)))
        return yield failed(failureOf({ kind: 'interrupted' }, setting), assembler);
    }
  }

  return {
    stream,
    count: (request, signal) =>
      countTokens({ connection, body: bodyOf(request), request, signal, betas: config.betas ?? [] }),
    warm: () => connection.warm(),
  };
};

const failed = (failure: Failure, { seen, usage }: Assembler): ModelEvent => ({
  type: 'failed',
  failure,
  seen: seen(),
  usage: usage() ?? noUsage,
});

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase());

const shortId = (): string => randomUUID().replaceAll('-', '').slice(0, 24);

/** The ids of all earlier calls, gathered when the first one is needed. */
const idsOf = (request: ModelRequest): (() => ReadonlySet<string>) => {
  let ids: Set<string> | undefined;
  return () => {
    ids ??= new Set(
      request.messages.flatMap((message) =>
        message.role === 'assistant'
          ? message.content.flatMap((block) => (block.type === 'tool_use' ? [String(block.id)] : []))
          : [],
      ),
    );
    return ids;
  };
};

/** The server knows that trying again is no use. */
const forbids = (trouble: Trouble): boolean =>
  trouble.kind === 'http' && trouble.headers.get('x-should-retry') === 'false';

const tooLong = (failure: Failure, asked: number | undefined): Failure =>
  asked !== undefined && asked > LONGEST_WAIT_MS
    ? { ...failure, text: `${failure.text} The server asks to wait ${Math.ceil(asked / 60_000)} minutes.` }
    : failure;

const shownAddress = (config: ModelClientConfig): string => {
  const base = baseUrlOf(config);
  if (!URL.canParse(base)) return base;
  const { protocol, host, pathname } = new URL(base);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
};

const addressSecrets = (config: ModelClientConfig): readonly string[] =>
  [config.baseUrl, ...PROXIES.map((name) => config.env?.[name])].flatMap((address) => {
    if (!address || !URL.canParse(address)) return [];
    const { password } = new URL(address);
    return password === '' ? [] : [password, decodeURIComponent(password)];
  });

const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

/** The variable that sends this address through a proxy, for the sentence that names it. */
const proxyOf = (config: ModelClientConfig): string | undefined => {
  const wanted = baseUrlOf(config).startsWith('https:') ? PROXIES.slice(0, 2) : PROXIES.slice(2);
  return config.fetch && wanted.find((name) => config.env?.[name]);
};
