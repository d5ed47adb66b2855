import type { AgentInfo } from '../../contract/agent.ts';
import type { OpenAsk } from '../../contract/ask.ts';
import { safeLine } from '../../lib/safe-text.ts';
import type { AgentRow } from './item.ts';

type Known = Pick<AgentInfo, 'id' | 'label' | 'type' | 'background'> & Partial<AgentRow>;

/** A row as it begins. */
export const begun = ({ label, name, ...known }: Known, now: number): AgentRow => ({
  doing: 'starting',
  reply: '',
  since: now,
  woke: now,
  seen: now,
  toolCalls: 0,
  tokens: 0,
  waiting: false,
  open: [],
  resting: false,
  ...known,
  label: safeLine(label),
  ...(name ? { name: safeLine(name) } : {}),
});

/** Whose question it is, as its row says it: many agents are of one type. */
export const askedBy = (ask: OpenAsk, rows: readonly AgentRow[]): OpenAsk => {
  const row = rows.find(({ id }) => id === ask.session);
  return row ? { ...ask, agent: row.name ? `${row.name} · ${row.label}` : row.label } : ask;
};

/** Agents that run already when a screen begins to look. */
export const rowsOf = (agents: readonly AgentInfo[], now: number): readonly AgentRow[] =>
  agents
    .filter(({ status }) => status === 'running' || status === 'waiting')
    .map(({ id, name, label, type, background, parent, status }) =>
      begun(
        { id, name, label, type, background, parent, doing: 'working', resting: status === 'waiting' },
        now,
      ),
    );
