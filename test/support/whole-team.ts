/** A scripted lead and three teammates in worktrees, from the team's creation to its end; a person directs them. */
import type { ModelServer } from './model-server.ts';
import type { Received } from './received.ts';
import { type Gate, gate, type Step, say, use } from './replies.ts';

export const MATES = ['ann', 'bob', 'cleo'] as const;
export type Mate = (typeof MATES)[number];

/** Cleo plans before she writes. */
export const AGENTS = JSON.stringify({
  planner: { description: 'Plans first', prompt: 'Plan first.', permissionMode: 'plan' },
});
/** The last one waits for the others. */
export const TASKS = [
  { subject: 'Write the lexer', activeForm: 'Writing the lexer' },
  { subject: 'Write the parser', activeForm: 'Writing the parser' },
  { subject: 'Write the guide', activeForm: 'Writing the guide' },
  { subject: 'Check it all', activeForm: 'Checking it all' },
] as const;
export const REFUSAL = 'My notes are not in order yet.';
const PLAN = '# Plan\n\nOne file for each task.\n';

export interface WholeTeam {
  /** Nobody begins the first tasks before this is opened. */
  readonly mayBegin: Gate;
  /** Each task is in progress until its gate opens. */
  readonly mayFinish: readonly Gate[];
  /** Plans that the lead was sent, answered in turn: no, then yes. */
  plans(): number;
}

const isLead = ({ raw }: Received): boolean => raw.includes('Lead a team.');
const isMate = (name: Mate) => (request: Received) =>
  request.raw.includes(`You are ${name}.`) && !isLead(request);
const idsIn = ({ raw }: Received, kind: 'shutdown' | 'plan', name: string): readonly string[] => [
  ...new Set([...raw.matchAll(new RegExp(`${kind}-\\d+@${name}`, 'g'))].map(([id]) => id)),
];
const tell = (to: string, message: string | object, summary?: string) =>
  use('SendMessageTool', { to, message, ...(summary ? { summary } : {}) });
const bash = (command: string) => use('Bash', { command });
type Play = Step<Received>;

export const playWholeTeam = (server: ModelServer): WholeTeam => {
  const mayBegin = gate();
  const mayFinish = TASKS.map(() => gate());
  const answered = new Set<string>();
  server.lane(
    (request) => isLead(request) && !request.raw.includes('They are at it.'),
    use('TeamCreateTool', {
      team_name: 'crew',
      description: 'Builds a small language',
      agent_type: 'builder',
    }),
    TASKS.map((task) => use('TaskCreateTool', { ...task, description: `${task.subject}, with a test.` })),
    use('TaskUpdateTool', { taskId: '4', addBlockedBy: ['1', '2', '3'] }),
    MATES.map((name) =>
      use('AgentTool', {
        prompt: `You are ${name}.`,
        description: `build as ${name}`,
        name,
        team_name: 'crew',
        isolation: 'worktree',
        ...(name === 'cleo' ? { subagent_type: 'planner' } : {}),
      }),
    ),
    say('They are at it.'),
  );
  server.always(isLead, (request): Play => {
    const plan = idsIn(request, 'plan', 'cleo').find((id) => !answered.has(id));
    if (plan !== undefined) {
      const approve = answered.size > 0;
      answered.add(plan);
      const feedback = approve ? {} : { feedback: 'Say how you test it.' };
      return tell('cleo', { type: 'plan_approval_response', request_id: plan, approve, ...feedback });
    }
    const { prompt, results } = request;
    if (results.length > 0) return say('So it is.');
    if (prompt.includes('Ask them to end.'))
      return MATES.map((name) => tell(name, { type: 'shutdown_request', reason: 'The work is done.' }));
    if (prompt.includes('Ask ann again.')) return tell('ann', { type: 'shutdown_request' });
    if (prompt.includes('Delete the team.')) return use('TeamDeleteTool', {});
    return say('I see.');
  });
  for (const name of MATES) server.always(isMate(name), mateOf(name, { mayBegin, mayFinish }));
  return { mayBegin, mayFinish, plans: () => answered.size };
};

/** What one teammate says next; it remembers what it has answered. */
const mateOf = (name: Mate, { mayBegin, mayFinish }: Pick<WholeTeam, 'mayBegin' | 'mayFinish'>) => {
  const ended = new Set<string>();
  const begun = new Set<string>();
  let rest: Play[] = [];
  let heard = 0;
  return async (request: Received): Promise<Play> => {
    const { raw, prompt } = request;
    const shutdown = idsIn(request, 'shutdown', name).find((id) => !ended.has(id));
    if (shutdown !== undefined) {
      const stays = name === 'ann' && ended.size === 0;
      ended.add(shutdown);
      rest = stays ? [say('I stay.')] : [];
      const answer = { type: 'shutdown_response', request_id: shutdown, approve: !stays };
      return tell('team-lead', stays ? { ...answer, reason: REFUSAL } : answer);
    }
    const [task] = [...raw.matchAll(/Task (\d+) of the shared list is yours now/g)]
      .map(([, id = '']) => id)
      .filter((id) => !begun.has(id));
    if (task !== undefined) {
      begun.add(task);
      rest = [
        async () => {
          await mayFinish[Number(task) - 1]?.opened;
          return bash(`git add part${task}.txt && git commit --quiet -m "Part ${task} by ${name}"`);
        },
        use('TaskUpdateTool', { taskId: task, status: 'completed' }),
        tell('team-lead', `Task ${task} is done by ${name}.`, `task ${task} is done and committed`),
        say(`Task ${task} is done.`),
      ];
      return use('Write', { file_path: `part${task}.txt`, content: `Part ${task}, by ${name}.\n` });
    }
    const refusals = raw.split('Your plan is not approved').length - 1;
    if (refusals > heard) {
      heard = refusals;
      rest = [say('I wait again.')];
      return use('ExitPlanModeTool', { plan: `${PLAN}\nEach with a test.\n` });
    }
    const next = rest.shift();
    if (next !== undefined) return next;
    if (prompt.includes(`You are ${name}.`)) {
      await mayBegin.opened;
      if (name !== 'cleo') return say('Ready.');
      rest = [say('I wait for the answer.')];
      return use('ExitPlanModeTool', { plan: PLAN });
    }
    return say(`${name} hears you.`);
  };
};
