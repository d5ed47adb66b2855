/** What the dispatcher and the runners of the four types say to each other. */
import type { HookEvent, HookHandler, HookScope, HookSource, HookVerdict } from '../contract/hook.ts';
import type { HookRunRecord } from '../contract/transcript.ts';

/** One handler about to run on one event. */
export interface RunCall<Handler extends HookHandler = HookHandler> {
  readonly event: HookEvent;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The input document as JSON text: stdin, `$ARGUMENTS`, request body. */
  readonly input: string;
  readonly handler: Handler;
  readonly source: HookSource;
  readonly scope: HookScope;
  /** Names the hook in everything people and models read. */
  readonly by: string;
  readonly timeoutMs: number;
  /** The turn's for waited hooks, the program's for background ones. */
  readonly signal: AbortSignal;
  /** Nobody waits; no decision counts. */
  readonly background: boolean;
  /** Called once, when the run has really begun (ruling 25). */
  started(): void;
}

export interface Ran {
  readonly outcome: HookRunRecord['outcome'];
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly verdict: HookVerdict;
  /** Sentences for the person, each naming the hook. */
  readonly notices: readonly string[];
  /** It could not start, was killed, ran out of time or gave no reply at all: why (ruling 21). */
  readonly unsure?: string;
  /** A woken message (exit 2 of an asyncRewake hook). */
  readonly wake?: string;
  /** Words of a background hook for the model's next turn. */
  readonly later?: readonly string[];
  /** It went to the background by itself: how that ends. */
  readonly rest?: Promise<Ran>;
}

export type Runner<Type extends HookHandler['type']> = (
  call: RunCall<Extract<HookHandler, { readonly type: Type }>>,
) => Promise<Ran>;
