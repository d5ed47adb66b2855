import type { Answer, Question } from './ask.ts';
import type { Display } from './display.ts';
import type { AskId, CallId, SessionId } from './ids.ts';
import type { StopReason, Usage } from './message.ts';
import type { FailureKind } from './model.ts';
import type { ToolOutcome } from './tool.ts';
import type { Entry } from './transcript.ts';

/** Plain data for every reader: screen, headless output, trace, tests. `seq` grows by one within a tree of sessions. */
export type SessionEvent = {
  readonly seq: number;
  readonly session: SessionId;
  readonly parent?: SessionId;
  /** Name or type of the agent; `main` for the main conversation. */
  readonly agent: string;
} & EventBody;

export type EventBody =
  /** Durable; all others are passing. */
  | { readonly type: 'entry'; readonly entry: Entry }
  | { readonly type: 'queued'; readonly box: string; readonly place: number; readonly text: string }
  | { readonly type: 'turn.started' }
  | { readonly type: 'request.started'; readonly model: string; readonly contextTokens: number }
  | { readonly type: 'delta'; readonly channel: 'text' | 'thinking'; readonly text: string }
  /** The reply was cut: what was streamed since `request.started` is kept as a partial entry or will be streamed again. */
  | { readonly type: 'restarted'; readonly reason: string }
  | { readonly type: 'tool.announced'; readonly tool: string }
  | { readonly type: 'stream'; readonly event: unknown }
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly of: number;
      readonly delayMs: number;
      readonly status?: number;
      readonly kind: FailureKind;
      readonly text: string;
    }
  | {
      readonly type: 'tool.started';
      readonly call: CallId;
      readonly tool: string;
      readonly subject: string;
      readonly input: unknown;
      readonly parentCall?: CallId;
    }
  | { readonly type: 'tool.progress'; readonly call: CallId; readonly text: string }
  | {
      readonly type: 'tool.finished';
      readonly call: CallId;
      readonly tool: string;
      readonly status: ToolOutcome['status'];
      readonly text: string;
      readonly display?: Display;
      readonly ms: number;
    }
  | { readonly type: 'ask'; readonly ask: AskId; readonly question: Question }
  | { readonly type: 'ask.settled'; readonly ask: AskId; readonly answer: Answer }
  | {
      readonly type: 'denied';
      readonly call: CallId;
      readonly tool: string;
      readonly input: unknown;
      readonly reason: string;
      readonly source: DenialSource;
    }
  | {
      readonly type: 'hook.started';
      readonly id: string;
      readonly event: string;
      readonly label: string;
      readonly statusMessage?: string;
    }
  | {
      readonly type: 'hook.finished';
      readonly id: string;
      readonly event: string;
      readonly label: string;
      readonly outcome: 'success' | 'blocked' | 'error' | 'timeout' | 'cancelled';
      readonly exitCode: number | null;
      readonly stdout: string;
      readonly stderr: string;
      readonly ms: number;
    }
  | {
      readonly type: 'agent.started';
      readonly child: SessionId;
      readonly label: string;
      readonly agentType: string;
      readonly background: boolean;
      readonly name?: string;
      readonly call?: CallId;
      readonly color?: string;
    }
  /** It goes on while its parent does. */
  | { readonly type: 'agent.background'; readonly child: SessionId }
  | {
      readonly type: 'agent.finished';
      readonly child: SessionId;
      readonly status: 'done' | 'failed' | 'stopped';
      readonly text: string;
      readonly ms: number;
      readonly toolCalls: number;
      readonly tokens: number;
    }
  | { readonly type: 'activity'; readonly text: string | null }
  | { readonly type: 'compacting'; readonly on: boolean }
  | { readonly type: 'tasks.changed'; readonly list: string }
  | {
      readonly type: 'turn.finished';
      readonly stop: StopReason | 'failed' | 'interrupted' | 'max_turns' | 'budget' | 'stopped';
      readonly usage: Usage;
      readonly ms: number;
      readonly text: string;
      readonly error?: string;
    }
  | { readonly type: 'notice'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  | { readonly type: 'bye' };

export type DenialSource = 'rule' | 'mode' | 'hook' | 'person' | 'headless' | 'sandbox';

export type Emit = (body: EventBody) => void;
