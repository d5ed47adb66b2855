/** `coppice team [list | adopt NAME | delete NAME [--force] | log [NAME]] [--json]` (ruling 55). */
import type { Command } from 'commander';
import { shortNumber } from '../../commands/answer.ts';
import type { SessionId } from '../../contract/ids.ts';
import { isOver } from '../../contract/task.ts';
import { LEAD, type Team } from '../../contract/team.ts';
import { clockTime } from '../../lib/clock-time.ts';
import { safeLine } from '../../lib/safe-text.ts';
import type { Board } from '../board.ts';
import type { Host } from '../host.ts';
import type { Finish, Subcommand } from './place.ts';

interface Options {
  readonly json?: boolean;
  readonly force?: boolean;
  readonly session?: string;
}

export const teamCommand: Subcommand = (program, host, finish) => {
  const team = program
    .command('team')
    .description('teams of agents: list, adopt, delete, read what they did');
  const verb = (line: string, description: string, isDefault = false): Command =>
    team.command(line, { isDefault }).description(description).option('--json', 'as JSON');

  verb('list', 'all teams with their members', true).action((options: Options) =>
    withBoard(host, finish, async ({ board, out }) => {
      const { teams, problems } = await board.teams.list();
      for (const problem of problems) host.tell(`coppice: ${problem}\n`);
      const shown = await Promise.all(teams.map((one) => viewOf(board, one)));
      out(options.json ? shown : shown.length === 0 ? 'There are no teams.' : shown.map(textOf).join('\n\n'));
    }),
  );
  verb('adopt <name>', 'make a conversation the lead of a team whose lead is gone')
    .option('--session <id>', 'which conversation; the latest of this folder if left out')
    .action((name: string, options: Options) =>
      withBoard(host, finish, async ({ board, out, fail }) => {
        const session =
          options.session === undefined
            ? (await board.transcripts.list(board.project))[0]?.id
            : ((await board.transcripts.find(options.session))?.id ?? (options.session as SessionId));
        if (session === undefined)
          return fail(
            'There is no conversation in this folder that could lead it; begin one, and use /team adopt there.',
          );
        const done = await board.teams.adopt(name, { session, project: board.project, cwd: board.cwd });
        if ('refused' in done || 'failed' in done)
          return fail('refused' in done ? done.refused : done.failed);
        out(
          options.json
            ? await viewOf(board, done)
            : `The team "${done.name}" is led by ${session} now. Go on with it: coppice --resume ${session}`,
        );
      }),
    );
  verb('delete <name>', 'delete a team whose lead is gone, with its tasks and mail')
    .option('--force', 'also when its lead runs or members work')
    .action((name: string, options: Options) =>
      withBoard(host, finish, async ({ board, out, fail }) => {
        const by = { force: options.force === true };
        const found = await board.teams.get(name);
        // Teammates in processes of their own end first: one that still speaks would bring folders back.
        if ('members' in found && board.teams.held(found, by) === undefined) await endMembers(board, found);
        const done = await board.teams.drop(name, by);
        if ('refused' in done || 'failed' in done)
          return fail('refused' in done ? done.refused : done.failed);
        out(options.json ? { deleted: done.name } : `The team "${done.name}" is deleted.`);
      }),
    );
  verb('log [name]', 'everything its members did, in order').action(
    (name: string | undefined, options: Options) =>
      withBoard(host, finish, async ({ board, out, fail }) => {
        const found = await pick(board, name);
        if ('refused' in found) return fail(found.refused);
        const { teamLog } = await import('../team-log.ts');
        for (const { time, team: _team, agent, type, ...rest } of await teamLog(board, found))
          out(
            options.json
              ? { time, team: found.name, agent, type, ...rest }
              : safeLine(`${clockTime(time)} ${agent} ${type} ${factsOf(rest)}`, 300),
          );
      }),
  );
};

const factsOf = (rest: Readonly<Record<string, unknown>>): string =>
  Object.entries(rest)
    .filter(([key]) => key !== 'call')
    .map(([key, value]) =>
      key === 'text' ? String(value) : `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .join(' ');

/** A member that runs in the lead's process goes with the lead. */
const endMembers = async ({ teams }: Board, team: Team): Promise<void> => {
  const { endProcess } = await import('../teammate-process.ts');
  await Promise.all(
    team.members.map(async (one) => {
      if (one.backendType === 'process' && one.runs && teams.isRunning(one)) await endProcess(one.runs);
    }),
  );
};

/** By name, else the newest of this folder. */
const pick = async (board: Board, name: string | undefined): Promise<Team | { readonly refused: string }> => {
  if (name !== undefined) {
    const found = await board.teams.get(name);
    return 'failed' in found ? { refused: found.failed } : found;
  }
  const { teams } = await board.teams.list();
  const here = teams
    .filter((one) => one.project === board.project)
    .sort((a, b) => b.createdAt - a.createdAt)[0];
  return here ?? { refused: 'There is no team in this folder; name one.' };
};

const viewOf = async (board: Board, team: Team) => {
  const { lookAtTeam, memberTokens } = await import('../look-at-team.ts');
  const listing = await board.tasks.list(team.taskList);
  const tasks = 'failed' in listing ? [] : listing.tasks;
  const tokens = memberTokens(board.transcripts, () => undefined);
  const { members } = await lookAtTeam({ ...board, tokens }, team);
  return {
    name: team.name,
    ...(team.description ? { description: team.description } : {}),
    project: team.project,
    createdAt: new Date(team.createdAt).toISOString(),
    lead: { session: team.leadSessionId, alive: board.teams.isLed(team) },
    taskList: team.taskList,
    tasks: {
      total: tasks.length,
      open: tasks.filter(({ status }) => !isOver(status)).length,
    },
    members: members.map(({ tasks: [task], ...one }) => ({ ...one, task: task?.id ?? null })),
  };
};

const textOf = (team: Awaited<ReturnType<typeof viewOf>>): string =>
  [
    `${team.name}${team.description ? `: ${team.description}` : ''}`,
    `  lead ${team.lead.alive ? 'running' : 'gone'} (${team.lead.session}), ${team.tasks.open} of ${team.tasks.total} tasks open, ${team.project}`,
    ...team.members
      .filter((one) => one.name !== LEAD)
      .map(
        (one) =>
          `  ${one.name}${one.type ? ` (${one.type})` : ''}: ${one.running || one.state === 'ended' ? one.state : `${one.state}, not running`}${one.task ? `, task ${one.task}` : ''}${one.unread > 0 ? `, ${one.unread} unread` : ''}${one.tokens ? `, ${shortNumber(one.tokens)} tokens` : ''}`,
      ),
  ]
    .map((line) => safeLine(`x${line}`, 300).slice(1))
    .join('\n');

interface At {
  readonly board: Board;
  out(what: object | string): void;
  fail(sentence: string): void;
}

const withBoard = async (host: Host, finish: Finish, work: (at: At) => Promise<void>): Promise<void> => {
  const { openBoard } = await import('../board.ts');
  let code: 0 | 1 = 0;
  const fail = (sentence: string): void => {
    host.tell(`coppice: ${sentence}\n`);
    code = 1;
  };
  const board = await openBoard(host);
  if ('refused' in board) fail(board.refused);
  else
    await work({
      board,
      fail,
      out: (what) => host.print(`${typeof what === 'string' ? what : JSON.stringify(what)}\n`),
    });
  finish(code);
};
