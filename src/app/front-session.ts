import type { Session } from '../contract/session.ts';
import type { Asks } from '../loop/asks.ts';
import type { Conversation } from '../loop/session.ts';
import type { Bus } from './bus.ts';
import { createErrands } from './errands.ts';

/** The main conversation as a front-end sees it. */
export const frontSession = (conversation: Conversation, bus: Bus, asks: Asks): Session => {
  const errands = createErrands();
  return {
    id: conversation.id,
    state: conversation.state,
    send: conversation.send,
    unsend: conversation.unsend,
    answer: (ask, answer) => void asks.answer(ask, answer),
    openAsks: asks.open,
    interrupt() {
      conversation.interrupt();
      errands.stop();
    },
    background() {
      conversation.background();
      errands.letGo();
    },
    errand: errands.run,
    onErrand: errands.open,
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
  };
};
