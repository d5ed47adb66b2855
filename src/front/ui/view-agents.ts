import type { SessionEvent } from '../../contract/event.ts';
import { usedTokens } from '../../contract/message.ts';
import { safeLine, safeText } from '../../lib/safe-text.ts';
import { type AgentRow, toolLabel } from './item.ts';
import type { View } from './view-state.ts';

/** Folds what a sub-agent does into its one row. */
export function seeAgent(view: View, event: SessionEvent, now: number): View {
  if (event.type === 'agent.started') {
    const row: AgentRow = {
      id: event.child,
      label: safeLine(event.label),
      type: event.agentType,
      background: event.background,
      doing: 'starting',
      since: now,
      seen: now,
      toolCalls: 0,
      tokens: 0,
      waiting: false,
      resting: false,
      inTool: false,
      ...(event.name ? { name: event.name } : {}),
      ...(event.call ? { call: event.call } : {}),
    };
    return { ...view, agents: [...view.agents.filter((one) => one.id !== event.child), row] };
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

function stepped(row: AgentRow, event: SessionEvent): AgentRow {
  switch (event.type) {
    case 'turn.started':
      return row.resting ? { ...row, resting: false, doing: 'working', since: row.seen } : row;
    case 'turn.finished':
      return { ...row, resting: true, inTool: false };
    case 'tool.started':
      return {
        ...row,
        doing: `${toolLabel(event.tool)} ${safeLine(event.subject, 120)}`,
        toolCalls: row.toolCalls + 1,
        inTool: true,
      };
    case 'tool.finished':
      return { ...row, inTool: false };
    case 'delta':
      return row.doing === 'writing' || row.doing === 'thinking'
        ? row
        : { ...row, doing: event.channel === 'text' ? 'writing' : 'thinking' };
    case 'retry':
      return { ...row, doing: 'waiting for the service' };
    case 'ask':
      return { ...row, waiting: true };
    case 'ask.settled':
      return { ...row, waiting: false };
    case 'entry':
      return event.entry.type === 'assistant'
        ? { ...row, tokens: row.tokens + usedTokens(event.entry.message.usage) }
        : row;
    default:
      return row;
  }
}
