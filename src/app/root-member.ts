import type { SessionId } from '../contract/ids.ts';
import type { Opening } from '../loop/deps.ts';

/** A teammate's place in its team, in a process of its own. */
export interface RootMember {
  readonly name: string;
  /** Key of its team. */
  readonly team: string;
  readonly taskList: string;
  /** The conversation that leads it. */
  readonly lead: SessionId;
  /** The conversation that started it: its transcript lies beside the others that this one started. */
  readonly startedBy: SessionId;
  readonly cwd: string;
  readonly checkout: string;
  readonly mailFrom: Readonly<Record<string, number>>;
  /** No mail is read before this. */
  readonly ready: Promise<void>;
  /** The end of a reply: TeammateIdle hooks in place of Stop. */
  readonly ending: NonNullable<Opening['ending']>;
  /** It agreed to its shutdown. */
  leave(): void;
  /** Its team was deleted. */
  dissolved(): void;
}
