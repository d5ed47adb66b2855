import { awkHazards } from './awk-program.ts';
import type { CommandFacts } from './command-facts.ts';
import { list, reasons } from './option-tables.ts';
import { scanOptions } from './options.ts';
import { quotedTexts } from './quoted-texts.ts';
import { readSedScript } from './sed-script.ts';
import type { ShellCommand, ShellWord } from './shell-command.ts';

const sedShape = { short: 'efl', long: list('--expression --file --line-length') };

const isLong = (name: string, full: string): boolean =>
  name.length > 2 && name.startsWith('--') && full.startsWith(name);

/** sed: the script decides. `-i` is a write of every operand. */
export const sedFacts = (command: ShellCommand): CommandFacts => {
  const { options, operands } = scanOptions(command.words.slice(1), sedShape);
  const hazards: string[] = [];
  const scripts: (ShellWord | undefined)[] = [];
  let inPlace = false;
  let fromFile = false;
  for (const { name, value } of options) {
    if (name === '-e' || isLong(name, '--expression')) scripts.push(value);
    else if (name === '-f' || isLong(name, '--file')) fromFile = true;
    else if (isLong(name, '--in-place')) inPlace = true;
    else if (isLong(name, '--follow-symlinks')) hazards.push('--follow-symlinks writes through links');
    else if (
      !/^-[nrEsuzbl]$/.test(name) &&
      name !== '-i' &&
      !/^--(quiet|silent|debug|posix|regexp-extended|separate|sandbox|unbuffered|null-data|zero-terminated|binary|line-length|help|version)$/.test(
        name,
      )
    ) {
      if (!inPlaceSuffix(command, name)) hazards.push(`${name} is not an option known here`);
    }
    if (name === '-i') inPlace = true;
  }
  const files = scripts.length > 0 || fromFile ? operands : operands.slice(1);
  if (scripts.length === 0 && !fromFile) scripts.push(operands[0]);
  if (fromFile) hazards.push('-f takes the script from a file');
  for (const script of scripts) {
    if (script?.kind !== 'fixed') hazards.push('a sed script that is not known before it runs');
  }
  const text = scripts.map((script) => script?.pattern ?? '').join('\n');
  hazards.push(...readSedScript(text).hazards);
  const uses = files.map((word) => ({ word }));
  return {
    hazards: inPlace ? [...hazards, '-i edits files in place'] : hazards,
    reads: uses,
    writes: inPlace ? uses : [],
    editor: inPlace && hazards.length === 0,
    readOnly: !inPlace && hazards.length === 0,
    globSafe: !inPlace,
  };
};

/** Letters after `-i` are a suffix, not options: `-i.bak`. */
const inPlaceSuffix = (command: ShellCommand, name: string): boolean =>
  command.words.some(({ pattern }) => /^-[nrEsuz]*i/.test(pattern) && pattern.includes(name.slice(1)));

const awkShape = {
  short: 'FvfilEeo',
  long: list('--field-separator --assign --file --include --load --exec --source'),
  stopAtOperand: true,
};
const awkDanger: Readonly<Record<string, string>> = reasons(
  '-f --file -E --exec: takes the program from a file; -i --include -l --load: loads a library; -o --pretty-print -p --profile -d --dump-variables: writes a file; -D --debug: starts a debugger; -W: is not known here',
);

export const awkFacts = (command: ShellCommand): CommandFacts => {
  const { options, operands } = scanOptions(command.words.slice(1), awkShape);
  const hazards = options.flatMap(({ name }) => {
    const full = Object.keys(awkDanger).find((key) => key === name || isLong(name, key));
    return full ? [`${name} ${awkDanger[full]}`] : [];
  });
  const sources = options
    .filter(({ name }) => name === '-e' || isLong(name, '--source'))
    .map(({ value }) => value);
  const programs = sources.length > 0 ? sources : operands.slice(0, 1);
  for (const program of programs) {
    if (program?.kind !== 'fixed') hazards.push('an awk program that is not known before it runs');
    else hazards.push(...awkHazards(program.pattern));
  }
  const files = (sources.length > 0 ? operands : operands.slice(1)).filter(
    ({ pattern }) => !/^\w+=/.test(pattern),
  );
  return {
    hazards,
    hints: hazards.length > 0 ? programs.flatMap((program) => quotedTexts(program?.pattern ?? '')) : [],
    reads: files.map((word) => ({ word })),
    writes: [],
    readOnly: false,
    globSafe: false,
  };
};
