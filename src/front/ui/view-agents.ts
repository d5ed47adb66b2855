import type { SessionEvent } from '../../contract/event.ts';
import { usedTokens } from '../../contract/message.ts';
import { safeLine, safeText } from '../../lib/safe-text.ts';
import { begun } from './agent-rows.ts';
import { type AgentRow, toolLabel } from './item.ts';
import type { View } from './view-state.ts';

/** So long may nothing be heard of an agent that runs no tool and waits for nobody. */
const STALLED_MS = 60_000;

export const isStalled = (row: AgentRow, now: number): boolean =>
  !row.waiting && !row.resting && row.open.length === 0 && now - row.seen > STALLED_MS;

/** Folds what a sub-agent does into its one row. */
export function seeAgent(view: View, event: SessionEvent, now: number): View {
  if (event.type === 'agent.started') {
    const { child, parent, label, agentType, background, name, call, color } = event;
    const row = begun(
      {
        id: child,
        label,
        type: agentType,
        background,
        ...(parent ? { parent } : {}),
        ...(name ? { name } : {}),
        ...(call ? { call } : {}),
        ...(color ? { color } : {}),
      },
      now,
    );
    return { ...view, agents: [...view.agents.filter((one) => one.id !== child), row] };
  }
  if (event.type === 'agent.background')
    return {
      ...view,
      agents: view.agents.map((one) => (one.id === event.child ? { ...one, background: true } : one)),
    };
  if (event.type === 'agent.finished') return finished(view, event);
  const at = view.agents.findIndex((row) => row.id === event.session);
  const row = view.agents[at];
  if (!row) return view;
  const next = stepped({ ...row, seen: now }, event);
  return { ...view, agents: view.agents.with(at, next) };
}

const MOST_REPORTED = 50;

function finished(view: View, event: Extract<SessionEvent, { type: 'agent.finished' }>): View {
  const row = view.agents.find((one) => one.id === event.child);
  const agents = view.agents.filter((one) => one.id !== event.child);
  // A foreground agent's end is the result of its tool call; a background one is told on its own.
  if (!row?.background) return { ...view, agents };
  return {
    ...view,
    agents,
    reported: [...view.reported.slice(-MOST_REPORTED), event.child],
    items: [
      ...view.items,
      {
        kind: 'agent',
        label: row.label,
        type: row.type,
        status: event.status,
        text: safeText(event.text),
        ms: event.ms,
        toolCalls: event.toolCalls,
        tokens: event.tokens,
      },
    ],
  };
}

const MOST_REPLY = 100_000;

const lastOf = (text: string): string => (text.length > 2 * MOST_REPLY ? text.slice(-MOST_REPLY) : text);

const opened = (row: AgentRow, id: string, doing: string): AgentRow => ({
  ...row,
  doing,
  open: [...row.open, id],
});
const closed = (row: AgentRow, id: string): AgentRow =>
  row.open.includes(id) ? { ...row, open: row.open.filter((one) => one !== id) } : row;

function stepped(row: AgentRow, event: SessionEvent): AgentRow {
  switch (event.type) {
    case 'turn.started':
      return row.resting ? { ...row, resting: false, doing: 'working', woke: row.seen } : row;
    case 'turn.finished':
      return { ...row, resting: true, open: [], doing: 'resting' };
    case 'tool.started':
      return {
        ...opened(row, event.call, `${toolLabel(event.tool)} ${safeLine(event.subject, 120)}`),
        toolCalls: row.toolCalls + 1,
      };
    case 'tool.finished':
      return closed(row, event.call);
    case 'hook.started':
      return opened(row, event.id, safeLine(event.statusMessage ?? `hook ${event.label}`, 120));
    case 'hook.finished':
      return closed(row, event.id);
    case 'compacting':
      return event.on ? opened(row, 'compacting', 'summarising') : closed(row, 'compacting');
    case 'request.started':
      return { ...row, reply: '' };
    case 'delta':
      return event.channel === 'text'
        ? { ...row, doing: 'writing', reply: lastOf(row.reply + event.text) }
        : { ...row, doing: 'thinking' };
    case 'retry':
      return { ...row, doing: 'waiting for the service', seen: row.seen + event.delayMs };
    case 'ask':
      return { ...row, waiting: true };
    case 'ask.settled':
      return { ...row, waiting: false };
    case 'entry':
      return event.entry.type === 'assistant'
        ? { ...row, reply: '', tokens: row.tokens + usedTokens(event.entry.message.usage) }
        : row;
    default:
      return row;
  }
}
