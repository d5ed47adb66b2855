import type { SlashCommand } from '../contract/command.ts';
import type { SessionState } from '../contract/state.ts';
import { isOver, type Task, type TaskStore } from '../contract/task.ts';
import { LEAD, type Team, type TeamLife, type TeamStore } from '../contract/team.ts';
import { refused, table, text } from './answer.ts';

export interface TeamView {
  readonly teams: TeamStore;
  readonly tasks: TaskStore;
  readonly life: Pick<TeamLife, 'dissolve' | 'follow'>;
  /** How far a letter came. */
  delivery(place: number, receipt: { readonly delivered: number; readonly read: number } | undefined): string;
  /** The members go on after their team was adopted. */
  recover(): Promise<readonly string[]>;
}

/** `/team [adopt NAME | delete [--force]]`: members, mail with delivery states, and what waits for what. */
export const teamCommand = (view: TeamView): SlashCommand => ({
  name: 'team',
  description: 'Your team: members, mail, tasks',
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
          ? 'You are in no team. The model creates one with TeamCreateTool when you ask for a team.'
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

const show = async ({ teams, tasks, delivery }: TeamView, team: Team): Promise<string> => {
  const listing = await tasks.list(team.taskList);
  const all = 'failed' in listing ? [] : listing.tasks;
  const receipts = await teams.receipts(team.key);
  const mail = (await teams.events(team.key)).filter((event) => event.type === 'message');
  const rowOf = (name: string) => {
    const unread = mail.filter(
      (event) => event.to === name && delivery(Number(event.place), receipts[name]) === 'stored',
    ).length;
    return [unread === 0 ? '' : String(unread), working(all, name)];
  };
  const members = team.members.map((one) => [
    one.name,
    one.agentType ?? '',
    one.name === LEAD
      ? 'lead'
      : teams.isRunning(one) || one.state === 'ended'
        ? one.state
        : `${one.state}, not running`,
    ...rowOf(one.name),
  ]);
  const letters = mail
    .slice(-12)
    .map((event) => [
      event.time.slice(11, 19),
      `${event.from} to ${event.to}`,
      String(event.summary ?? event.protocol ?? ''),
      delivery(Number(event.place), receipts[String(event.to)]),
    ]);
  const graph = all
    .filter((task) => !isOver(task.status))
    .map((task) => `- ${task.id} ${task.subject}${task.owner ? ` (${task.owner})` : ''}${arrow(task, all)}`);
  return [
    `**${team.name}**${team.description ? `: ${team.description}` : ''}`,
    table(['member', 'type', 'state', 'unread', 'task'], members),
    ...(letters.length > 0 ? [table(['time', 'mail', 'about', 'state'], letters)] : []),
    graph.length > 0 ? `Open tasks:\n${graph.join('\n')}` : 'No open tasks.',
  ].join('\n\n');
};

const working = (tasks: readonly Task[], name: string): string =>
  tasks
    .filter((task) => task.status === 'in_progress' && task.owner === name)
    .map((task) => `${task.id} ${task.activeForm ?? task.subject}`)
    .join(', ');

const arrow = (task: Task, all: readonly Task[]): string => {
  const waits = task.blockedBy.filter((id) => all.some((one) => one.id === id && !isOver(one.status)));
  return waits.length === 0 ? '' : ` ← ${waits.join(', ')}`;
};
