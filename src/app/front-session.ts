import type { Session } from '../contract/session.ts';
import type { Asks } from '../loop/asks.ts';
import type { Conversation } from '../loop/session.ts';
import type { Bus } from './bus.ts';

/** The main conversation as a front-end sees it. */
export const frontSession = (conversation: Conversation, bus: Bus, asks: Asks): Session => ({
  id: conversation.id,
  state: conversation.state,
  send: conversation.send,
  unsend: conversation.unsend,
  answer: (ask, answer) => void asks.answer(ask, answer),
  openAsks: asks.open,
  interrupt: conversation.interrupt,
  background: conversation.background,
  setMode: conversation.setMode,
  record: conversation.record,
  compact: conversation.compact,
  aside: conversation.aside,
  rewind: conversation.rewind,
  entries: conversation.entries,
  events: bus.events,
  listen: bus.listen,
  busy: conversation.busy,
  idle: conversation.idle,
  close: conversation.close,
});
