import type { CommandFacts } from './command-facts.ts';
import { fixed, type ShellCommand, type ShellWord } from './shell-command.ts';

/** Tests and harmless actions of find, with how many words each takes. What is not here asks. */
const primaries: Readonly<Record<string, number>> = {
  ...zero(
    '-L -P -H -print -print0 -ls -prune -quit -true -false -empty -depth -d -mount -xdev -follow -daystart',
  ),
  ...zero(
    '-nouser -nogroup -readable -writable -executable -noleaf -warn -nowarn -ignore_readdir_race -not -a -and -o -or',
  ),
  ...one(
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -perm -mtime',
  ),
  ...one(
    '-atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -maxdepth -mindepth -user -group -uid -gid -inum -links',
  ),
  ...one('-samefile -fstype -used -regextype -printf -D -context'),
};

const starts = /^[-(),!]/;
const running: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const fileTests: ReadonlySet<string> = new Set(['-newer', '-anewer', '-cnewer', '-samefile']);

function zero(names: string): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name) => [name, 0]));
}
function one(names: string): Record<string, number> {
  return Object.fromEntries(names.split(' ').map((name) => [name, 1]));
}

/** Reads the expression of find word by word. */
export const findFacts = (command: ShellCommand): CommandFacts => {
  const args = command.words.slice(1);
  const hazards: string[] = [];
  const reads: ShellWord[] = [];
  const writes: ShellWord[] = [];
  const runs: ShellCommand[] = [];
  let points = true;
  let sawPoint = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    if (!word) break;
    const text = word.pattern;
    if (points && /^-(L|P|H|O\d|D)$/.test(text)) {
      if (text === '-D') at++;
      continue;
    }
    if (points && !starts.test(text)) {
      reads.push(word);
      sawPoint = true;
      continue;
    }
    points = false;
    if (/^[(),!]$/.test(text)) continue;
    if (running.has(text)) {
      const end = args.findIndex(
        (end, index) =>
          index > at && (end.pattern === ';' || (end.pattern === '+' && args[index - 1]?.pattern === '{}')),
      );
      const stop = end < 0 ? args.length : end;
      hazards.push(`${text} runs a command`);
      runs.push(innerCommand(command, args.slice(at + 1, stop)));
      at = stop;
    } else if (text === '-delete') hazards.push('-delete deletes files');
    else if (/^-f(print0?|printf|ls)$/.test(text)) {
      hazards.push(`${text} writes a file`);
      const target = args[++at];
      if (target) writes.push(target);
      if (text === '-fprintf') at++;
    } else if (text === '-files0-from') hazards.push('-files0-from reads a list of files');
    else if (text.startsWith('-newer') && text.length === 8) at++;
    else if (Object.hasOwn(primaries, text)) {
      const value = args[at + 1];
      if (fileTests.has(text) && value) reads.push(value);
      at += primaries[text] ?? 0;
    } else hazards.push(`${word.raw} is not a test known here`);
  }
  if (!sawPoint) reads.push(fixed('.'));
  return {
    hazards,
    reads: reads.map((word) => ({ word })),
    writes: writes.map((word) => ({ word })),
    runs,
    readOnly: hazards.length === 0,
  };
};

/** What find puts for `{}` is not known. */
const innerCommand = (command: ShellCommand, words: readonly ShellWord[]): ShellCommand => ({
  ...command,
  words: words.map((word) =>
    word.pattern.includes('{}')
      ? { ...word, kind: 'dynamic', pattern: word.pattern.replaceAll('{}', '\uE000') }
      : word,
  ),
  assigns: [],
  redirects: [],
});
