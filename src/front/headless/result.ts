import type { SessionId } from '../../contract/ids.ts';
import type { Usage } from '../../contract/message.ts';
import type { Tally } from './lines.ts';

/** How a headless run ended, before it is put into words. */
export interface RunEnd {
  readonly stop: string;
  readonly text: string;
  readonly error?: string;
  /** Set when something could not be saved or the input was wrong. */
  readonly problem?: string;
  readonly structured?: unknown;
  readonly ms: number;
  readonly costUsd: number | undefined;
  readonly usageByModel: Readonly<
    Record<string, Usage & { readonly costUSD?: number; readonly contextWindow?: number }>
  >;
}

const subtypeOf = (end: RunEnd): string => {
  if (end.stop === 'max_turns') return 'error_max_turns';
  if (end.stop === 'budget') return 'error_max_budget_usd';
  if (end.stop === 'structured') return 'error_max_structured_output_retries';
  if (end.stop === 'failed' || end.stop === 'interrupted' || end.problem) return 'error_during_execution';
  return 'success';
};

const camel = (usage: Usage & { readonly costUSD?: number; readonly contextWindow?: number }) => ({
  inputTokens: usage.input_tokens,
  outputTokens: usage.output_tokens,
  cacheReadInputTokens: usage.cache_read_input_tokens,
  cacheCreationInputTokens: usage.cache_creation_input_tokens,
  webSearchRequests: 0,
  costUSD: usage.costUSD ?? 0,
  contextWindow: usage.contextWindow ?? 0,
});

/** The single result object; `is_error` goes with a non-zero exit code. */
export const resultOf = (
  session: SessionId,
  uuid: string,
  end: RunEnd,
  tally: Tally,
): Readonly<Record<string, unknown>> => {
  const subtype = subtypeOf(end);
  const failed = subtype !== 'success';
  return {
    type: 'result',
    subtype,
    is_error: failed,
    duration_ms: end.ms,
    duration_api_ms: tally.apiMs,
    num_turns: tally.turns,
    ...(failed
      ? { errors: [end.problem ?? end.error ?? end.stop], ...(end.text ? { result: end.text } : {}) }
      : { result: end.text }),
    stop_reason: end.stop,
    session_id: session,
    total_cost_usd: end.costUsd ?? 0,
    usage: tally.usage,
    modelUsage: Object.fromEntries(
      Object.entries(end.usageByModel).map(([model, usage]) => [model, camel(usage)]),
    ),
    permission_denials: tally.denials,
    ...(end.structured === undefined ? {} : { structured_output: end.structured }),
    uuid,
  };
};
