import type { ShellResult } from '../contract/shell.ts';
import type { SessionState } from '../contract/state.ts';
import type { ToolOutcome } from '../contract/tool.ts';
import { isInside, realPath } from './place.ts';

export interface Ran {
  readonly command: string;
  readonly session: SessionState;
  readonly result: ShellResult;
}

/** What the model, the person and hooks learn of a command that has ended. */
export const report = ({ command, session, result }: Ran): ToolOutcome => {
  if (result.notStarted !== undefined) return { status: 'error', text: result.notStarted };
  const status = statusOf(command, result);
  const left = leaving(session, result.cwd);
  const notes = [
    ending(result),
    result.leftRunning ? 'Processes that it started still run; they end with this session.' : undefined,
    left?.note,
    status === 'error' && wantedTerminal(result.output)
      ? 'It wanted a terminal, and there is none: give the answer as an option or through a pipe, or use the command in a non-interactive way.'
      : undefined,
  ].filter((note) => note !== undefined);
  const head = result.exitCode !== null && result.exitCode !== 0 ? [`Exit code ${result.exitCode}`] : [];
  const body = result.output === '' ? [] : [result.output.replace(/\n$/, '')];
  return {
    status,
    text: [...head, ...body, ...notes.map((note) => `[${note}]`)].join('\n') || '(no output)',
    display: {
      kind: 'text',
      summary: summary(result),
      body: [...body, ...notes].join('\n'),
      failed: status !== 'ok',
    },
    response: {
      stdout: result.output,
      stderr: notes.join('\n'),
      interrupted: result.interrupted || result.timedOut,
      isImage: false,
      exitCode: result.exitCode,
    },
    effects: left?.cwd === undefined ? [] : [{ type: 'cwd', cwd: left.cwd }],
  };
};

const statusOf = (command: string, result: ShellResult): 'ok' | 'error' | 'cancelled' => {
  if (result.interrupted) return 'cancelled';
  if (result.timedOut || result.exitCode === null) return 'error';
  if (result.exitCode === 0 || (result.exitCode === 1 && saysNoWithOne(command))) return 'ok';
  return 'error';
};

const ending = (result: ShellResult): string | undefined => {
  const seconds = `${Number((result.ms / 1000).toFixed(1))} s`;
  if (result.interrupted) return `Interrupted by the user after ${seconds}`;
  if (result.timedOut)
    return `Stopped at its time limit after ${seconds}. Give a longer timeout (milliseconds), or use run_in_background`;
  if (result.exitCode === null) return `Killed by ${result.signal ?? 'a signal'}`;
  return undefined;
};

const summary = (result: ShellResult): string | undefined => {
  if (result.interrupted) return 'interrupted';
  if (result.timedOut) return 'time limit reached';
  if (result.exitCode === null) return `killed by ${result.signal ?? 'a signal'}`;
  return result.exitCode === 0 ? undefined : `exit code ${result.exitCode}`;
};

/** The directory moves inside the workspace only (ruling 30). */
const leaving = (
  session: SessionState,
  cwd: string,
): { readonly cwd?: string; readonly note?: string } | undefined => {
  if (cwd === session.cwd || cwd === realPath(session.cwd)) return undefined;
  const workspace = [session.checkout, session.cwd, ...session.directories];
  if (workspace.some((folder) => isInside(cwd, realPath(folder)))) return { cwd };
  return { note: `The working directory is ${session.cwd} again: ${cwd} is outside of the workspace` };
};

/** Tools for which 1 is an answer, not a failure (ruling 20). */
const SAYS_NO = /^(?:[efz]?grep|rg|diff|cmp|test|\[{1,2}|git (?:--no-pager )?(?:diff|grep))(?=\s|$)/;

/** By the last command of the script, whose exit code it is. Quoted text is left out of sight first. */
const saysNoWithOne = (command: string): boolean => {
  const bare = command.replace(/'[^']*'|"(?:\\.|[^"\\])*"/g, "''").replace(/\\./gs, '_');
  const last = bare.split(/\|\||&&|[|;\n&]/).findLast((part) => part.trim() !== '') ?? '';
  const words = last.trim().replace(/^(?:!\s+|\w+=\S*\s+|command\s+|\(\s*|\{\s+)+/, '');
  return SAYS_NO.test(words.replace(/^\S*\//, ''));
};

const NO_TERMINAL =
  /\/dev\/tty|not a (?:tty|terminal)|no tty present|a terminal is required|inappropriate ioctl for device|terminal prompts disabled|could not read (?:Username|Password)|EOFError|EOF when reading|stdin is not (?:a|interactive)/i;

/** The end of the output tells; standard input is always closed. */
const wantedTerminal = (output: string): boolean => NO_TERMINAL.test(output.slice(-2_000));
