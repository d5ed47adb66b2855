/** Nothing may open an editor or a pager, or ask on a terminal that is not there. */
const WITHOUT_TERMINAL = {
  GIT_EDITOR: 'true',
  EDITOR: 'true',
  VISUAL: 'true',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  TERM: 'dumb',
};

/** Variables by which an environment changes what a script means (security: variables in front of commands). */
const CHANGES_MEANING = /^(?:BASH_ENV|ENV|SHELLOPTS|BASHOPTS|CDPATH|PS4|BASH_FUNC_.*)$/;

/** Marks every process of one shell, also those that leave their process group. */
export const GROUP_MARK = 'COPPICE_COMMAND_GROUP';

/** The environment of a command: what was given, without start-up files and functions, and without a terminal. */
export const commandEnvironment = (
  given: Readonly<Record<string, string>>,
  mark: string,
): Record<string, string> => {
  const kept = Object.entries(given).filter(([name]) => !CHANGES_MEANING.test(name));
  return { ...Object.fromEntries(kept), ...WITHOUT_TERMINAL, [GROUP_MARK]: mark };
};
