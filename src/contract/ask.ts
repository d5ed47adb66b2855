import type { Display } from './display.ts';
import type { AskId, CallId, SessionId } from './ids.ts';
import type { Mode } from './mode.ts';
import type { LookedAt } from './permission.ts';

/** Where a remembered rule is written (conventions 1, permission updates). */
export type RuleDestination = 'session' | 'localSettings' | 'projectSettings' | 'userSettings';

/** Why a call is asked about, and what "don't ask again" would save. Plain data from the permission engine. */
export interface AskReason {
  readonly reason: string;
  readonly rule?: string;
  readonly source?: string;
  readonly trace: readonly unknown[];
  readonly among?: LookedAt;
  readonly suggestions: readonly string[];
}

export interface ChoiceQuestion {
  readonly question: string;
  readonly header: string;
  readonly options: readonly {
    readonly label: string;
    readonly description?: string;
    readonly preview?: string;
  }[];
  readonly multiSelect: boolean;
  /** No answer is an answer. */
  readonly mayBeEmpty?: boolean;
}

/** The one way to wait for a person. */
export type Question =
  | {
      readonly kind: 'permission';
      readonly call: CallId;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly subject: string;
      readonly display?: Display;
      readonly why: AskReason;
    }
  | { readonly kind: 'plan'; readonly plan: string; readonly path: string; readonly call: CallId }
  /** `call` is the tool call that is nothing but this question. */
  | { readonly kind: 'choice'; readonly questions: readonly ChoiceQuestion[]; readonly call?: CallId }
  | {
      readonly kind: 'confirm';
      readonly title: string;
      readonly body: string;
      readonly options: readonly { readonly value: string; readonly label: string }[];
    };

export type Answer =
  | {
      readonly kind: 'permission';
      readonly behavior: 'allow';
      readonly comment?: string;
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly remember?: { readonly rules: readonly string[]; readonly to: RuleDestination };
      readonly mode?: Mode;
    }
  /** A bare no (no comment) stops the turn; with a comment the model reads it and goes on. */
  | {
      readonly kind: 'permission';
      readonly behavior: 'deny';
      readonly comment?: string;
      readonly interrupt?: boolean;
    }
  | { readonly kind: 'plan'; readonly decision: 'acceptEdits' | 'default'; readonly plan?: string }
  | { readonly kind: 'plan'; readonly decision: 'keep'; readonly feedback?: string }
  /** One answer per question, in order: chosen labels and free text. */
  | {
      readonly kind: 'choice';
      readonly answers: readonly {
        readonly question: string;
        readonly chosen: readonly string[];
        readonly text?: string;
      }[];
    }
  | { readonly kind: 'confirm'; readonly value: string }
  /** Nobody can or will answer: interrupted, headless, the session ends. */
  | { readonly kind: 'none'; readonly reason: string; readonly source: 'interrupt' | 'headless' | 'closed' };

export type Ask = (question: Question) => Promise<Answer>;

/** An open question, stamped with who asks. */
export interface OpenAsk {
  readonly id: AskId;
  readonly session: SessionId;
  readonly agent: string;
  readonly question: Question;
}
