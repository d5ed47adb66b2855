import type { Answer, Ask, Question } from './ask.ts';
import type { Display } from './display.ts';
import type { CallId } from './ids.ts';
import type { DocumentBlock, ImageBlock, TextBlock } from './message.ts';
import type { SessionState } from './state.ts';
import type { ToolSchema } from './tool-schema.ts';
import type { Effect } from './transcript.ts';

/** Checking apart from running. Names are canonical (contract/tool-names.ts). */
export interface Tool {
  readonly schema: ToolSchema;
  /** Checks raw model input. `invalid` is a sentence that says what was wrong and what to send instead. */
  prepare(raw: unknown, state: SessionState): PreparedCall | { readonly invalid: string };
}

export interface PreparedCall {
  /** The checked input, file paths made absolute: what hooks and rules see. */
  readonly input: Readonly<Record<string, unknown>>;
  /** What a person sees on the tool line after the tool's name: a command, a path, a label. */
  readonly subject: string;
  /** Where the path of a file call led when it was checked: what is judged must be what is opened. */
  readonly real?: string;
  /** True when the call changes nothing, ever. Bash answers by the permission engine instead. */
  readonly readOnly: boolean;
  /** True when it may run beside other parallel calls. */
  readonly parallel: boolean;
  /** What the permission question shows (a diff, the whole command). */
  preview?(ctx: ToolContext): Promise<Display>;
  /** A question of the tool's own that stands in for the permission question (plan approval). */
  question?(ctx: ToolContext): Promise<Question>;
  run(ctx: ToolContext): Promise<ToolOutcome>;
}

export interface ToolContext {
  readonly session: SessionState;
  readonly call: CallId;
  readonly signal: AbortSignal;
  readonly ask: Ask;
  /** What the person answered to the call's own `question`; absent when a hook allowed it. */
  readonly answer?: Answer;
  /** Live output for the screen; never reaches the model. */
  progress(text: string): void;
  /** Calls back when the person wants running calls in the background (Ctrl+B); answers the way to stop listening. */
  readonly backgrounded?: (away: () => void) => () => void;
}

export type ToolOutcome =
  | {
      readonly status: 'ok';
      /** What the model reads. */
      readonly text: string;
      /** Blocks instead of text (images, PDF pages). */
      readonly blocks?: readonly (TextBlock | ImageBlock | DocumentBlock)[];
      readonly display?: Display;
      /** `tool_response` of hooks and `toolUseResult` of the transcript (shapes: conventions 1). */
      readonly response?: unknown;
      readonly effects?: readonly Effect[];
      /** The turn ends after this call; why, in a sentence. */
      readonly ends?: string;
    }
  | {
      readonly status: 'error' | 'denied' | 'cancelled';
      readonly text: string;
      readonly display?: Display;
      readonly response?: unknown;
      readonly effects?: readonly Effect[];
    };
