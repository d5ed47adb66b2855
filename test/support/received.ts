import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import * as z from 'zod';
import { blocksOf, resultText, textOf, WireBody } from './wire.ts';

/** A request to `/v1/messages`, as it came in. */
export interface Received {
  /** The body byte for byte, for cache-prefix checks. */
  readonly raw: string;
  readonly body: WireBody;
  readonly headers: IncomingHttpHeaders;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The system prompt's text blocks joined. */
  readonly system: string;
  /** Text of the last message: what was newly said. */
  readonly prompt: string;
  /** Tool results in the last message, in order. */
  readonly results: readonly { readonly id: string; readonly text: string; readonly error: boolean }[];
  /** Names of the tools on offer. */
  readonly tools: readonly string[];
  /** Still open, sent to its scripted end, or left by the client before that. */
  outcome: 'open' | 'sent' | 'abandoned';
}

/** The request behind a body, or the sentence with which the service refuses it. */
export const received = (headers: IncomingHttpHeaders, raw: string): Received | string => {
  if (!headers['anthropic-version']) return 'anthropic-version: header is required';
  const parsed = WireBody.safeParse(json(raw));
  if (!parsed.success)
    return `The request does not have the shape of the protocol. ${z.prettifyError(parsed.error)}`;
  const body = parsed.data;
  const last = body.messages.at(-1)?.content;
  return {
    raw,
    body,
    headers,
    time: Date.now(),
    system: textOf(body.system),
    prompt: textOf(last),
    results: blocksOf(last ?? []).flatMap((block) =>
      block.type === 'tool_result'
        ? [{ id: block.tool_use_id ?? '', text: resultText(block), error: block.is_error === true }]
        : [],
    ),
    tools: (body.tools ?? []).flatMap(({ name }) => (name === undefined ? [] : [name])),
    outcome: 'open',
  };
};

/** The whole body as text, or undefined once it is longer than `limit` bytes. */
export const bodyOf = async (incoming: IncomingMessage, limit: number): Promise<string | undefined> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    size += part.length;
    if (size <= limit) parts.push(part);
  }
  return size > limit ? undefined : Buffer.concat(parts).toString('utf8');
};

const json = (raw: string): unknown => {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
};
