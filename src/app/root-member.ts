import type { Opening } from '../loop/deps.ts';

/** A teammate's place in its team. */
export interface RootMember {
  readonly name: string;
  readonly team: string;
  readonly taskList: string;
  readonly cwd: string;
  readonly mailFrom: Readonly<Record<string, number>>;
  /** The end of a reply: TeammateIdle hooks in place of Stop. */
  readonly ending: NonNullable<Opening['ending']>;
  /** It agreed to its shutdown. */
  leave(): void;
}
