import type { BudgetLevel } from '../contract/budget.ts';
import type { SlashCommand } from '../contract/command.ts';
import type { SessionState } from '../contract/state.ts';
import { type Task, type TaskStore, unfinished } from '../contract/task.ts';
import type { Team, TeamLife, TeamStore } from '../contract/team.ts';
import type { MemberLook, TeamLook } from '../contract/team-look.ts';
import { clockTime } from '../lib/clock-time.ts';
import { refused, shortNumber, table, text } from './answer.ts';
import { budgetTable } from './cost.ts';

export interface TeamView {
  readonly teams: TeamStore;
  readonly tasks: TaskStore;
  readonly life: Pick<TeamLife, 'dissolve' | 'follow'>;
  /** Who is there, what each does, and its mail. */
  look(team: Team): Promise<TeamLook> | undefined;
  budgets(): readonly BudgetLevel[];
  /** The members go on after their team was adopted. */
  recover(): Promise<readonly string[]>;
}

/** `/team [adopt NAME | delete [--force]]`: members, mail with delivery states, what waits for what, budgets. */
export const teamCommand = (view: TeamView): SlashCommand => ({
  name: 'team',
  description: 'Your team: members, mail, tasks, budgets',
  argumentHint: '[adopt NAME, or delete [--force]]',
  source: 'builtin',
  instant: true,
  async run(args, { session }) {
    const [verb = '', ...rest] = args.trim().split(/\s+/);
    const state = session.state();
    if (verb === 'adopt') return await adopt(view, rest.join(' '), state);
    const team = state.team === undefined ? undefined : await view.teams.get(state.team);
    if (team === undefined || !('members' in team)) {
      const { teams } = await view.teams.list();
      return text(
        teams.length === 0
          ? 'You are in no team. Ask for one and say who does what: "Make a team: one writes the parser, one its tests."'
          : `You are in no team. There are: ${teams.map((one) => `${one.name}${view.teams.isLed(one) ? '' : ' (its lead is gone: /team adopt or coppice team delete)'}`).join(', ')}.`,
      );
    }
    if (verb === 'delete') {
      const by = { session: state.id, force: rest.includes('--force') };
      const held = view.teams.held(team, by);
      if (held !== undefined) return refused(held);
      await view.life.dissolve(team);
      const done = await view.teams.drop(team.key, by);
      if ('refused' in done) return refused(done.refused);
      if ('failed' in done) return refused(done.failed);
      const to = { team: null, taskList: team.leadTaskList ?? state.root };
      await view.life.follow(state.id, to);
      await session.record({ type: 'team', ...to });
      return text(`The team "${team.name}" is deleted.`);
    }
    return text(await show(view, team));
  },
});

const adopt = async (view: TeamView, name: string, state: SessionState) => {
  if (name === '') return refused('Say which team: /team adopt NAME.');
  const done = await view.teams.adopt(name, {
    session: state.id,
    project: state.project,
    cwd: state.cwd,
    model: state.model,
    taskList: state.taskList,
  });
  if ('refused' in done) return refused(done.refused);
  if ('failed' in done) return refused(done.failed);
  const notes = await view.recover();
  return text([`You lead the team "${done.name}" now.`, ...notes].join('\n\n'));
};

const stateOf = ({ state, running, why }: MemberLook): string =>
  `${state}${running || state === 'ended' || state === 'gone' ? '' : ', not running'}${why ? `: ${why}` : ''}`;

const show = async ({ look, tasks, budgets }: TeamView, team: Team): Promise<string> => {
  const { members, letters } = (await look(team)) ?? { members: [], letters: [] };
  const listing = await tasks.list(team.taskList);
  const all = 'failed' in listing ? [] : listing.tasks;
  const rows = members.map((one) => [
    one.name,
    one.type ?? '',
    stateOf(one),
    one.tasks.map((task) => `${task.id} ${task.activeForm ?? task.subject}`).join(', '),
    one.unread === 0 ? '' : String(one.unread),
    one.tokens === undefined ? '' : shortNumber(one.tokens),
  ]);
  const mail = letters
    .slice(-MOST_LETTERS)
    .map(({ time, from, to, about, state }) => [
      clockTime(time),
      `${from} to ${to}`,
      shortened(about),
      state,
    ]);
  const standing = 'failed' in listing ? new Set<string>() : unfinished(listing);
  const graph = all
    .filter(({ id }) => standing.has(id))
    .map(
      (task) =>
        `- ${task.id} ${task.subject} (${task.status.replace('_', ' ')}${task.owner ? `, ${task.owner}` : ''})${arrow(task, standing)}`,
    );
  const done = all.length - graph.length;
  return [
    `**${team.name}**${team.description ? `: ${team.description}` : ''}`,
    table(['member', 'type', 'state', 'task', 'unread', 'tokens'], rows),
    ...(mail.length > 0 ? [table(['time', 'mail', 'about', 'state'], mail)] : []),
    ...(letters.length > mail.length
      ? [`and ${letters.length - mail.length} earlier: coppice team log`]
      : []),
    ...('failed' in listing ? [listing.failed] : listing.problems),
    `${graph.length === 0 ? 'No open tasks' : `Open tasks:\n${graph.join('\n')}\n\n`}${done > 0 ? `${graph.length === 0 ? ', ' : ''}${done} ended.` : graph.length === 0 ? '.' : ''}`.trim(),
    ...budgetTable(budgets()),
  ].join('\n\n');
};

const MOST_LETTERS = 12;
/** As much of a summary as leaves a letter one row on a narrow screen. */
const MOST_ABOUT = 34;

const shortened = (about: string): string =>
  about.length > MOST_ABOUT ? `${about.slice(0, MOST_ABOUT - 1).toWellFormed()}…` : about;

const arrow = (task: Task, standing: ReadonlySet<string>): string => {
  const waits = task.blockedBy.filter((id) => standing.has(id));
  return waits.length === 0 ? '' : ` ← waits for ${waits.join(', ')}`;
};
