import { randomUUID } from 'node:crypto';
import type { Roster } from '../agents/roster.ts';
import type { Mailbox } from '../contract/store.ts';
import type { Conversation } from '../loop/session.ts';

const isParked = (conversation: Conversation | undefined): boolean => {
  const stop = conversation?.lastEnd()?.stop;
  return stop === 'budget' || stop === 'max_turns';
};

/** Teammates that rest because a budget was used up go on when it was raised. `own` is one in its own process. */
export const wakeParked = (roster: Roster, own: Conversation | undefined, mailbox: Mailbox): void => {
  const parked = [
    ...roster
      .seats()
      .flatMap(({ id, status, conversation }) =>
        status === 'waiting' && isParked(conversation) ? [id] : [],
      ),
    ...(own && !own.busy() && isParked(own) ? [own.id] : []),
  ];
  for (const id of parked)
    void mailbox.send(id, {
      id: randomUUID(),
      text: 'The user added to the budget that was used up. Go on where you stopped.',
      origin: { kind: 'system', about: 'budget' },
    });
};
