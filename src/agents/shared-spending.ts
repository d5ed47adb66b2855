/** Budgets and the rate governor of a team whose members run in several processes: what one does, all count. */
import type { Usage } from '../contract/message.ts';
import type { Governor } from '../loop/governor.ts';
import type { Purse } from '../loop/purse.ts';
import type { DeskNote, Posted, WhichPurse } from './desk-notes.ts';

type Post = (note: DeskNote) => void;

/** Tells the other processes what is spent here and what was added. */
export const sharedPurse = (purse: Purse, which: WhichPurse, post: Post): Purse => ({
  ...purse,
  spend(use) {
    purse.spend(use);
    if (use.usd || use.tokens)
      post({ type: 'spent', purse: which, use: { usd: use.usd, tokens: use.tokens } });
  },
  extend() {
    purse.extend();
    post({ type: 'extended', purse: which, limits: purse.account().limits });
  },
});

/** A wait that one process is told is a wait for all. */
export const sharedGovernor = (governor: Governor, now: () => number, post: Post): Governor => {
  /** Tells of what `change` made longer or shorter. */
  const told = <T>(change: () => T): T => {
    const before = governor.left();
    const answer = change();
    const ms = governor.left();
    if (ms > before) post({ type: 'wait', until: now() + ms, ms });
    if (ms === 0 && before > 0) post({ type: 'go' });
    return answer;
  };
  return {
    ...governor,
    wait: (from, ms) => told(() => governor.wait(from, ms)),
    hear: (from, limits) => told(() => governor.hear(from, limits)),
    giveUp: (from) => told(() => governor.giveUp(from)),
  };
};

type Spent = Parameters<Purse['spend']>[0];

export interface Spending {
  /** As it is kept in this process. */
  purse(which: WhichPurse): Purse;
  readonly governor: Governor;
  /** What a purse counts of it. */
  priced(model: string, usage: Usage): Spent;
  now(): number;
  /** Others wait, and nobody here was told yet: milliseconds. */
  countdown(ms: number): void;
  /** A budget is nearly used up: a sentence for the person. */
  warn(text: string): void;
}

/** Counts in this process, and warns when that was nearly all. */
export const countIn = ({ purse, warn }: Spending, which: WhichPurse, use: Spent): void => {
  purse(which).spend(use);
  const text = purse(which).nearing();
  if (text !== undefined) warn(text);
};

/** Counts what another process told. */
export const hearSpending = (spending: Spending, { note, run }: Posted): void => {
  const { purse, governor, now } = spending;
  switch (note.type) {
    case 'budgets':
      purse('session').assume(note.session);
      purse('team').assume(note.team);
      break;
    case 'spent':
      countIn(spending, note.purse, note.use);
      break;
    case 'extended':
      purse(note.purse).allow(note.limits);
      break;
    case 'wait': {
      // A clock that was set meanwhile makes no wait longer than it was told.
      const ms = Math.min(note.ms, note.until - now());
      if (ms > governor.left() && governor.wait(run, ms)) spending.countdown(ms);
      break;
    }
    case 'go':
      governor.open();
      break;
    default:
  }
};
