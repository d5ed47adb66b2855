/** How a run of an agent ended: in the words that its parent reads, and as its transcript tells after a kill. */
import type { AgentResult } from '../contract/agent.ts';
import type { Message } from '../contract/message.ts';
import { shortName } from '../contract/tool-names.ts';
import type { Entry } from '../contract/transcript.ts';
import { lastWords, usesOf } from '../loop/conversation.ts';
import type { Conversation } from '../loop/session.ts';
import type { Seat } from './roster.ts';

export type Ended = Pick<AgentResult, 'status' | 'text'>;

const NOTHING = '(the agent gave no answer)';

const goOn = (seat: Pick<Seat, 'id' | 'name'>): string =>
  `send it a message: SendMessageTool, to "${seat.name ?? seat.id}"`;

/** What a run comes to, partial words where it was cut. */
export const endOfRun = (seat: Seat, conversation: Conversation, halted: boolean): Ended => {
  const end = conversation.lastEnd();
  const cut = halted || seat.stopping || (!seat.leaving && end?.stop === 'interrupted');
  const said = end?.text || (cut || end?.stop === 'failed' ? lastWords(conversation.state().messages) : '');
  if (cut) return { status: 'stopped', text: `${said || NOTHING}\n\n${stoppedText(seat)}` };
  if (end?.stop === 'stopped' && end.error === undefined) {
    const why = refusedCall(conversation.state().messages);
    return { status: 'stopped', text: `${said || NOTHING}\n\n${stoppedText(seat, why)}` };
  }
  if (end?.stop === 'failed')
    return {
      status: 'failed',
      text: `${said ? `${said}\n\n` : ''}The agent failed: ${end.error ?? 'unknown reason'}`,
    };
  if (end?.stop !== 'max_turns' && end?.stop !== 'budget') return { status: 'done', text: said || NOTHING };
  return {
    status: 'done',
    text: `${said || NOTHING}\n\n[parked: ${end.error} What it had by then stands above. To let it go on${end.fresh ? ' with the same allowance again' : ''}, ${goOn(seat)}.]`,
  };
};

/** The person said no to a call and nothing more: who waits for the agent hears of it. */
const refusedCall = (messages: readonly Message[]): string => {
  const reply = messages.findLast((message) => message.role === 'assistant');
  const names = reply ? usesOf(reply).map(({ name }) => shortName(name)) : [];
  return `the user refused what it wanted to do (${[...new Set(names)].join(', ')}). Ask them before it is tried again`;
};

export const stoppedText = (seat: Pick<Seat, 'id' | 'name'>, why?: string): string =>
  `[stopped before it was done${why === undefined ? '' : `: ${why}`}. To let it go on where it stopped, ${goOn(seat)}.]`;

/** How the last run in a transcript ended, also where the program was killed before it could say so. */
export const endInTranscript = (entries: readonly Entry[]): Ended => {
  const from = entries.findLastIndex((entry) => entry.type === 'opened');
  const run = entries.slice(from + 1);
  const text = lastWords(run.flatMap((entry) => (entry.type === 'assistant' ? [entry.message] : [])));
  const last = run.findLast((entry) => ['user', 'assistant', 'failed', 'ended'].includes(entry.type));
  switch (last?.type) {
    case 'ended':
      return { status: last.status, text };
    case 'failed':
      return {
        status: 'failed',
        text: `${text ? `${text}\n\n` : ''}The agent failed: ${last.failure.text}`,
      };
    case 'assistant':
      return { status: last.partial || usesOf(last.message).length > 0 ? 'stopped' : 'done', text };
    default:
      return { status: 'stopped', text };
  }
};
