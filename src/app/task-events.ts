/** TaskCreated and TaskCompleted hooks: their one site each. */
import type { HookScope, Hooks, HookVerdict } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import type { TaskEvents, TaskFacts } from '../contract/task.ts';

/** `scopeOf` answers undefined for a session that is closed; then nobody is asked. */
export const taskEvents = (
  hooks: Hooks,
  scopeOf: (session: SessionId) => HookScope | undefined,
): TaskEvents => ({
  awaited: (event, session) => hooks.listens(event, scopeOf(session)?.extra),
  async created(task, session) {
    const scope = scopeOf(session);
    return scope ? told(scope, await hooks.dispatch('TaskCreated', payloadOf(task), scope)) : {};
  },
  async completed(task, session) {
    const scope = scopeOf(session);
    if (!scope || !hooks.listens('TaskCompleted', scope.extra)) return {};
    return told(scope, await hooks.dispatch('TaskCompleted', payloadOf(task), scope));
  },
});

const payloadOf = ({ id, subject, description, teammate, team }: TaskFacts) => ({
  task_id: id,
  task_subject: subject,
  ...(description === undefined ? {} : { task_description: description }),
  ...(teammate === undefined ? {} : { teammate_name: teammate }),
  ...(team === undefined ? {} : { team_name: team }),
});

const told = (scope: HookScope, verdict: HookVerdict): { readonly forbidden?: string } => {
  for (const text of verdict.systemMessages) scope.emit({ type: 'notice', level: 'warn', text });
  const forbidden = verdict.blocked ?? verdict.stop;
  return forbidden === undefined ? {} : { forbidden };
};
