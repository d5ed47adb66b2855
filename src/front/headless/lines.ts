/** The event stream as `stream-json` lines and as the one result object (conventions 10). */
import type { SessionEvent } from '../../contract/event.ts';
import type { CallId, SessionId } from '../../contract/ids.ts';
import type { Usage } from '../../contract/message.ts';
import { noUsage } from '../../contract/message.ts';

/** Where finished lines go. Resolves when the reader took them. */
export type WriteLine = (value: Readonly<Record<string, unknown>>) => void;

export interface LinesOptions {
  readonly session: SessionId;
  readonly newId: () => string;
  readonly partials: boolean;
  readonly hooks: boolean;
  readonly replay: boolean;
}

interface DeniedCall {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

export interface Tally {
  readonly turns: number;
  readonly apiMs: number;
  readonly denials: readonly DeniedCall[];
  readonly usage: Usage;
  readonly stop?: string;
  readonly structured?: unknown;
}

/** Reads events; writes one line per message; keeps the counts that the result needs. */
export const createLines = (options: LinesOptions, write: WriteLine) => {
  let turns = 0;
  let usage = noUsage;
  let requestedAt = 0;
  let apiMs = 0;
  const denials: DeniedCall[] = [];
  /** The call that spawned a child: its messages carry it. */
  const parents = new Map<SessionId, CallId | null>();

  const base = (event: SessionEvent) => ({
    session_id: options.session,
    uuid: options.newId(),
    parent_tool_use_id: parents.get(event.session) ?? null,
  });

  const onEntry = (event: Extract<SessionEvent, { type: 'entry' }>): void => {
    const { entry } = event;
    if (entry.type === 'assistant') {
      const root = event.session === options.session;
      if (root) {
        turns += 1;
        apiMs += Math.max(0, performance.now() - requestedAt);
        usage = {
          input_tokens: usage.input_tokens + entry.message.usage.input_tokens,
          output_tokens: usage.output_tokens + entry.message.usage.output_tokens,
          cache_creation_input_tokens:
            usage.cache_creation_input_tokens + entry.message.usage.cache_creation_input_tokens,
          cache_read_input_tokens:
            usage.cache_read_input_tokens + entry.message.usage.cache_read_input_tokens,
        };
      }
      write({
        type: 'assistant',
        message: { type: 'message', stop_sequence: null, ...entry.message },
        ...base(event),
      });
    }
    if (entry.type === 'user' && entry.origin.kind === 'tools') {
      const results = Object.values(entry.responses ?? {});
      write({
        type: 'user',
        message: { role: 'user', content: entry.content },
        ...base(event),
        ...(results.length === 1 ? { tool_use_result: results[0] } : {}),
      });
    } else if (entry.type === 'user' && entry.origin.kind === 'person' && options.replay) {
      write({
        type: 'user',
        message: { role: 'user', content: entry.content },
        ...base(event),
        isReplay: true,
      });
    } else if (
      entry.type === 'user' &&
      entry.origin.kind !== 'person' &&
      entry.origin.kind !== 'system' &&
      entry.content.length > 0
    ) {
      write({
        type: 'user',
        message: { role: 'user', content: entry.content },
        ...base(event),
        isSynthetic: true,
      });
    }
    if (entry.type === 'compacted')
      write({
        type: 'system',
        subtype: 'compact_boundary',
        compact_metadata: { trigger: entry.trigger, pre_tokens: entry.preTokens },
        ...base(event),
      });
    if (entry.type === 'mode')
      write({ type: 'system', subtype: 'status', status: null, permissionMode: entry.mode, ...base(event) });
    if (entry.type === 'background' && entry.status !== 'running')
      write({
        type: 'system',
        subtype: 'task_notification',
        task_id: entry.id,
        status: entry.status,
        output_file: entry.output,
        summary: entry.label,
        ...base(event),
      });
  };

  const onHook = (event: Extract<SessionEvent, { type: 'hook.started' | 'hook.finished' }>): void => {
    if (!options.hooks) return;
    const common = {
      type: 'system',
      hook_id: event.id,
      hook_name: event.label,
      hook_event: event.event,
      ...base(event),
    };
    if (event.type === 'hook.started') write({ ...common, subtype: 'hook_started' });
    else
      write({
        ...common,
        subtype: 'hook_response',
        stdout: event.stdout,
        stderr: event.stderr,
        output: event.stdout + event.stderr,
        exit_code: event.exitCode ?? undefined,
        outcome:
          event.outcome === 'success' ? 'success' : event.outcome === 'cancelled' ? 'cancelled' : 'error',
      });
  };

  return {
    see(event: SessionEvent): void {
      switch (event.type) {
        case 'entry':
          onEntry(event);
          return;
        case 'request.started':
          if (event.session === options.session) requestedAt = performance.now();
          return;
        case 'stream':
          if (options.partials) write({ type: 'stream_event', event: event.event, ...base(event) });
          return;
        case 'retry':
          write({
            type: 'system',
            subtype: 'api_retry',
            attempt: event.attempt,
            max_retries: event.of,
            retry_delay_ms: event.delayMs,
            error_status: event.status ?? null,
            error: event.kind,
            ...base(event),
          });
          return;
        case 'denied':
          denials.push({ tool_name: event.tool, tool_use_id: event.call, tool_input: event.input });
          write({
            type: 'system',
            subtype: 'permission_denied',
            tool_name: event.tool,
            tool_use_id: event.call,
            reason: event.reason,
            source: event.source,
            ...base(event),
          });
          return;
        case 'agent.started':
          parents.set(event.child, event.call ?? null);
          write({
            type: 'system',
            subtype: 'task_started',
            task_id: event.child,
            description: event.label,
            ...base(event),
          });
          return;
        case 'agent.finished':
          write({
            type: 'system',
            subtype: 'task_updated',
            task_id: event.child,
            patch: { status: event.status },
            ...base(event),
          });
          return;
        case 'compacting':
          write({
            type: 'system',
            subtype: 'status',
            status: event.on ? 'compacting' : null,
            ...base(event),
          });
          return;
        case 'notice':
          write({
            type: 'system',
            subtype: 'informational',
            content: event.text,
            level: event.level,
            ...base(event),
          });
          return;
        case 'hook.started':
        case 'hook.finished':
          onHook(event);
          return;
        default:
          return;
      }
    },
    tally: (): Tally => ({ turns, apiMs: Math.round(apiMs), denials, usage }),
  };
};
