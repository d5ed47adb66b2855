/** Task lists and teams on disk, for subcommands: no conversation, no lock of one. */
import type { SessionId } from '../contract/ids.ts';
import type { TranscriptStore } from '../contract/store.ts';
import type { Task, TaskStore } from '../contract/task.ts';
import type { TeamStore } from '../contract/team.ts';
import { safeLine } from '../lib/safe-text.ts';
import { fileShelf } from '../store/task-files.ts';
import { taskStore } from '../store/tasks.ts';
import { fileTeamShelf } from '../store/team-shelf.ts';
import { teamStore } from '../store/teams.ts';
import { fileTranscripts } from '../store/transcripts.ts';
import { lineOf } from '../tools/task-answer.ts';
import type { Host } from './host.ts';
import { placeOf } from './sub/place.ts';
import { VERSION } from './version.ts';

export interface Board {
  readonly tasks: TaskStore;
  readonly teams: TeamStore;
  readonly transcripts: TranscriptStore;
  readonly home: string;
  readonly project: string;
  readonly cwd: string;
}

export const openBoard = async (host: Host): Promise<Board | { readonly refused: string }> => {
  const { homes, project, cwd } = await placeOf(host);
  if (homes.own === undefined)
    return { refused: 'There is no home directory to look into; set HOME or COPPICE_CONFIG_DIR.' };
  const tasks = taskStore(fileShelf(homes.own));
  return {
    tasks,
    teams: teamStore(fileTeamShelf(homes.own), tasks),
    transcripts: fileTranscripts(homes.own, VERSION),
    home: homes.own,
    project,
    cwd,
  };
};

export interface WhichList {
  readonly team?: string;
  readonly session?: string;
  readonly list?: string;
}

/** The list that was named, else the one of this folder that changed last (ruling 55); undefined when there is none. */
export const chooseList = async (
  board: Board,
  which: WhichList,
  env: Host['env'],
): Promise<string | undefined | { readonly refused: string }> => {
  if (which.list !== undefined) return await namedList(board, which.list);
  if (which.team !== undefined) {
    const team = await board.teams.get(which.team);
    if ('refused' in team) return team;
    return 'failed' in team ? { refused: team.failed } : team.taskList;
  }
  if (which.session !== undefined) {
    const known = (await board.transcripts.find(which.session))?.id;
    const id = known ?? (which.session as SessionId);
    const list = (await board.teams.ledBy(id))?.taskList ?? id;
    if (known !== undefined || (await board.tasks.lists()).some((one) => one.list === list)) return list;
    return { refused: `No conversation "${which.session}" is known.` };
  }
  const wished = env.CLAUDE_CODE_TASK_LIST_ID;
  if (wished) return wished;
  const { teams } = await board.teams.list();
  const here = new Set<string>([
    ...teams.filter((team) => team.project === board.project).map((team) => team.taskList),
    ...(await board.transcripts.list(board.project)).map((session) => session.id),
  ]);
  return (await board.tasks.lists()).find(({ list }) => here.has(list))?.list;
};

const MOST_NAMED = 10;

/** A list that has tasks, or that a team or a conversation would put them into. */
const namedList = async (board: Board, name: string): Promise<string | { readonly refused: string }> => {
  const { teams } = await board.teams.list();
  const known = [
    ...new Set([
      ...(await board.tasks.lists()).map(({ list }) => list),
      ...teams.map(({ taskList }) => taskList),
    ]),
  ];
  if (known.includes(name) || (await board.transcripts.find(name))?.id === name) return name;
  const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : '';
  return {
    refused: `There is no task list "${safeLine(name, 80)}". ${known.length === 0 ? 'There are none.' : `There are: ${known.slice(0, MOST_NAMED).join(', ')}${more}.`}`,
  };
};

/** The record of spec 2.3, with what we know beside it. */
export const recordOf = ({ lease, ...task }: Task) => ({
  ...task,
  metadata: task.metadata ?? {},
  ...(lease
    ? { lease: { owner: lease.owner, session: lease.session, pid: lease.pid, since: lease.since } }
    : {}),
});

export const taskLine = (task: Task): string => safeLine(lineOf(task), 300);

/** Everything of one task, for a person. */
export const taskText = (task: Task): string =>
  [
    taskLine(task),
    ...(task.description ? ['', task.description, ''] : []),
    ...(task.blocks.length > 0 ? [`blocks: ${task.blocks.join(', ')}`] : []),
    ...(task.blockedBy.length > 0 ? [`blocked by: ${task.blockedBy.join(', ')}`] : []),
    ...(task.lease ? [`in progress since ${task.lease.since} in process ${task.lease.pid}`] : []),
    ...(task.note ? [task.note] : []),
    ...Object.entries(task.metadata ?? {}).map(([key, value]) => `${key}: ${JSON.stringify(value)}`),
  ].join('\n');
