import type { StopReason } from '../contract/message.ts';
import type { Failure } from '../contract/model.ts';

/** How a turn ended. */
export interface TurnEnd {
  readonly stop: StopReason | 'failed' | 'interrupted' | 'max_turns' | 'budget' | 'stopped';
  readonly text: string;
  readonly error?: string;
  readonly failure?: Failure;
  /** A fault of the program ended it, not the model or the service: what was said may not have been heard. */
  readonly broken?: true;
  /** Parked by a limit that counts anew when it goes on. */
  readonly fresh?: boolean;
}
