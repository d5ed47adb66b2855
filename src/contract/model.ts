import type { AssistantBlock, AssistantMessage, Message, TextBlock, Usage } from './message.ts';
import type { ToolSchema } from './tool-schema.ts';

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** One request to a model, provider-neutral. Cache breakpoints are set by the client, never by the caller. */
export interface ModelRequest {
  readonly model: string;
  readonly system: readonly TextBlock[];
  readonly tools: readonly ToolSchema[];
  /** Server-side tools passed through as they are (web search). */
  readonly serverTools?: readonly Readonly<Record<string, unknown>>[];
  readonly messages: readonly Message[];
  readonly maxTokens?: number;
  /** Thinking budget in tokens; 0 or absent is off. */
  readonly thinkingTokens?: number;
  readonly effort?: Effort;
  /** Forces one tool (structured output, verifiers). */
  readonly toolChoice?: { readonly type: 'tool'; readonly name: string } | { readonly type: 'any' };
}

/** Error kinds are the matcher inputs of StopFailure (conventions 1). */
export type FailureKind =
  | 'rate_limit'
  | 'overloaded'
  | 'authentication_failed'
  | 'billing_error'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'max_output_tokens'
  | 'connection'
  | 'context_exceeded'
  | 'interrupted'
  | 'unknown';

export interface Failure {
  readonly kind: FailureKind;
  /** One sentence for a person: what failed and what to do. Never holds a secret. */
  readonly text: string;
  readonly status?: number;
  /** True when trying again later may help. */
  readonly retryable: boolean;
}

/** What a stream yields; exactly one `done` or `failed` ends it. `ModelClient.stream` never throws. */
export type ModelEvent =
  | { readonly type: 'start'; readonly id: string; readonly model: string; readonly usage: Usage }
  | { readonly type: 'delta'; readonly channel: 'text' | 'thinking'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string }
  | { readonly type: 'block'; readonly block: AssistantBlock }
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly of: number;
      readonly delayMs: number;
      readonly failure: Failure;
    }
  | { readonly type: 'raw'; readonly event: unknown }
  | { readonly type: 'rate'; readonly limits: RateLimits }
  | { readonly type: 'fallback'; readonly from: string; readonly to: string }
  | {
      readonly type: 'done';
      readonly message: AssistantMessage;
      readonly requestId?: string;
      readonly apiMs: number;
    }
  /** `seen` holds what was shown before the failure: whole blocks and the text of an unfinished one; never a partial tool call. */
  | {
      readonly type: 'failed';
      readonly failure: Failure;
      readonly seen: readonly AssistantBlock[];
      readonly usage: Usage;
    };

/** What the server's rate headers said last; times are epoch milliseconds. */
export interface RateLimits {
  readonly requestsRemaining?: number;
  readonly tokensRemaining?: number;
  readonly resetAt?: number;
}

export interface ModelClient {
  /** Retries (408, 409, 429, 5xx, 529, drops and stalls before anything was shown) happen inside and are reported as `retry`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Tokens of a request, by the service where it counts, else estimated. */
  count(
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<{ readonly tokens: number; readonly exact: boolean }>;
  /** Loads what the first request needs, while a person still types. Never rejects. */
  warm(): Promise<void>;
}

/** What is known of a model: sizes in tokens, prices in US dollars per million tokens. */
export interface ModelFacts {
  readonly id: string;
  readonly window: number;
  readonly maxOutput: number;
  readonly price?: ModelPrice;
  /** Another price for requests with a long prompt (`ModelUse`). */
  readonly longPrice?: ModelPrice;
}

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
}
