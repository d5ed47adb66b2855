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

export type CommandEnvironment = (given: Readonly<Record<string, string>>) => Record<string, string>;

/**
 * The environment of a command: what was given, without start-up files and functions, and without a terminal.
 * Most commands are given the same one, so the last is kept.
 */
export const commandEnvironment = (mark: string): CommandEnvironment => {
  let last:
    | { readonly given: Readonly<Record<string, string>>; readonly made: Record<string, string> }
    | undefined;
  return (given) => {
    if (last?.given !== given) {
      const kept = Object.entries(given).filter(([name]) => !CHANGES_MEANING.test(name));
      last = { given, made: { ...Object.fromEntries(kept), ...WITHOUT_TERMINAL, [GROUP_MARK]: mark } };
    }
    return last.made;
  };
};
