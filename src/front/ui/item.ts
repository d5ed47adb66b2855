import type { Display } from '../../contract/display.ts';
import type { CallId, SessionId } from '../../contract/ids.ts';
import { shortName } from '../../contract/tool-names.ts';

/** A tool call from its start to its result. */
export interface ToolCall {
  readonly call: CallId;
  readonly tool: string;
  readonly subject: string;
  readonly since: number;
  readonly status: 'running' | 'ok' | 'error' | 'denied' | 'cancelled';
  /** The last output while it runs. */
  readonly progress: string;
  readonly text: string;
  readonly display?: Display;
  readonly ms?: number;
}

/** What is finished: written once into the terminal's scrollback, never drawn again. */
export type Item =
  | {
      readonly kind: 'user';
      readonly text: string;
      readonly from?: string;
      /** What stands for the text where not everything is shown. */
      readonly short?: string;
    }
  | {
      readonly kind: 'markdown';
      readonly text: string /** Follows its predecessor without an empty row. */;
      readonly close: boolean;
    }
  | {
      readonly kind: 'code';
      readonly language: string;
      readonly text: string;
      readonly before: string;
      readonly close: boolean;
    }
  | { readonly kind: 'thought'; readonly text: string; readonly ms: number }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | {
      readonly kind: 'agent';
      readonly label: string;
      readonly type: string;
      readonly status: 'done' | 'failed' | 'stopped';
      readonly text: string;
      readonly ms: number;
      readonly toolCalls: number;
      readonly tokens: number;
    }
  | { readonly kind: 'note'; readonly level: 'info' | 'warn' | 'error'; readonly text: string }
  /** Output of slash commands: markdown of our own. */
  | { readonly kind: 'print'; readonly text: string }
  | { readonly kind: 'divider'; readonly text: string }
  /** What a person ran with `!`. */
  | { readonly kind: 'shell'; readonly command: string; readonly output: string; readonly failed: boolean };

/** A running sub-agent as one row. */
export interface AgentRow {
  readonly id: SessionId;
  readonly parent?: SessionId;
  readonly label: string;
  readonly type: string;
  readonly name?: string;
  readonly color?: string;
  readonly background: boolean;
  readonly call?: CallId;
  readonly doing: string;
  /** Text of the reply that is being written, its end where it is long. */
  readonly reply: string;
  readonly since: number;
  /** When it began what it is at now: it may have rested before. */
  readonly woke: number;
  /** When something was heard of it last, or will be at the latest (a wait for the service). */
  readonly seen: number;
  readonly toolCalls: number;
  readonly tokens: number;
  /** A question of its is open. */
  readonly waiting: boolean;
  /** Calls, hooks and summaries that run: nothing need be heard meanwhile. */
  readonly open: readonly string[];
  /** Between two turns. */
  readonly resting: boolean;
}

/** Names as a person reads them: `AgentTool` is Agent, `mcp__docs__search` is docs: search. */
export function toolLabel(tool: string): string {
  const server = /^mcp__(.+?)__(.+)$/.exec(tool);
  return server ? `${server[1]}: ${server[2]}` : shortName(tool);
}
