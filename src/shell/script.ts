/** Linux takes no single argument over 128 KiB. */
const LONGEST_ARGUMENT = 96 * 1024;

/** One word of bash that stands for this text, on one line, so that line numbers in errors are the script's own. */
const quoted = (text: string): string => `$'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;

/** Quoted, no part of a text takes more than three bytes. */
export const isLong = (command: string): boolean =>
  command.length > LONGEST_ARGUMENT / 4 && Buffer.byteLength(quoted(command)) > LONGEST_ARGUMENT;

export interface ScriptParts {
  readonly command: string;
  /** Where the shell starts. */
  readonly cwd: string;
  /** Written when the shell ends in another directory. */
  readonly cwdFile: string;
  readonly envFiles: readonly string[];
  /** Holds the command when it is too long for an argument. */
  readonly commandFile?: string;
}

/**
 * The command inside what Coppice adds. The final directory is reported when the script falls off its end,
 * whatever traps it set, and from an EXIT trap when it calls `exit`; a script that sets its own EXIT trap and
 * calls `exit`, or calls `exec`, leaves the directory where it was.
 */
export const wrapped = ({ command, cwd, cwdFile, envFiles, commandFile }: ScriptParts): string => {
  const report = `[[ . -ef ${quoted(cwd)} ]] || builtin pwd -P >| ${quoted(cwdFile)}`;
  const sources = envFiles
    .map((file) => `if [[ -f ${quoted(file)} ]]; then . ${quoted(file)}; fi; `)
    .join('');
  const script = commandFile === undefined ? quoted(command) : `"$(<${quoted(commandFile)})"`;
  // The group hides a script's `set -x` from what is ours; `set --` keeps the status without a variable's name.
  return (
    `trap ${quoted(`{ ${report}; } 2>/dev/null`)} EXIT; ${sources}eval ${script}\n` +
    `{ set -- "$?"; ${report}; exit "$1"; } 2>/dev/null`
  );
};
