import type { Display } from '../contract/display.ts';
import type { SessionState } from '../contract/state.ts';
import type { StoreFailed } from '../contract/store.ts';
import { actorOf, type Task, type TaskEvents, type TaskFacts, type TaskStore } from '../contract/task.ts';
import type { ToolOutcome } from '../contract/tool.ts';

/** What the task tools stand on. */
export interface TaskTools {
  readonly tasks: TaskStore;
  readonly events: TaskEvents;
}

/** The text is exactly one JSON object (ruling 51). */
export const answer = (response: object, summary: string, body = summary): ToolOutcome => ({
  status: 'ok',
  text: JSON.stringify(response),
  display: { kind: 'text', summary, body } satisfies Display,
  response,
});

export const failure = (text: string): ToolOutcome => ({ status: 'error', text });

/** The sentence of a verb that did nothing. */
export const whyNot = (answered: object): string | undefined => {
  if ('refused' in answered) return String(answered.refused);
  return 'failed' in answered ? (answered as StoreFailed).failed : undefined;
};

export const factsOf = (
  task: Pick<Task, 'id' | 'subject' | 'description'>,
  state: SessionState,
): TaskFacts => ({
  id: task.id,
  subject: task.subject,
  description: task.description,
  ...(state.team ? { team: state.team, teammate: actorOf(state).name } : {}),
});

/** One line for a person. */
export const lineOf = ({ id, subject, status, owner, blockedBy }: Task): string =>
  `${status === 'completed' ? '✓' : status === 'cancelled' ? '✗' : status === 'in_progress' ? '▸' : '·'} ${id} ${subject}${owner ? ` (${owner})` : ''}${status === 'pending' && blockedBy.length > 0 ? ` [after ${blockedBy.join(', ')}]` : ''}`;
