import type { CommandFacts, PathUse } from './command-facts.ts';
import { type FileTool, fileTools } from './file-tool-table.ts';
import { list } from './option-tables.ts';
import { lookUp, scanOptions } from './options.ts';
import { fixed, type ShellWord } from './shell-command.ts';

/** Read-only tools with options that write or run: a file name that begins with a dash could be one. */
const optionPowered: ReadonlySet<string> = new Set(list('sort uniq file tree du date'));

/** Facts of a tool in the table; undefined if it is not there. */
export const fileToolFacts = (name: string, args: readonly ShellWord[]): CommandFacts | undefined => {
  const tool = Object.hasOwn(fileTools, name) ? fileTools[name] : undefined;
  if (!tool) return undefined;
  const { options, operands } = scanOptions(args, tool);
  const hazards = options.flatMap((option) => {
    const reason = lookUp(option.name, tool.danger ?? {}, tool.safe);
    return reason ? [`${option.name} ${reason}`] : [];
  });
  const has = (names: readonly string[] = []) =>
    options.some((option) =>
      lookUp(option.name, Object.fromEntries(names.map((key) => [key, true])), tool.safe),
    );
  const valuesOf = (names: readonly string[] = []): readonly PathUse[] =>
    options.flatMap((option) =>
      option.value && lookUp(option.name, Object.fromEntries(names.map((key) => [key, true])), tool.safe)
        ? [{ word: option.value }]
        : [],
    );
  const deep = has(tool.deepOption) || tool.operands === 'move';
  const split = operandUses(tool, operands, {
    pattern: has(tool.patternOption),
    target: valuesOf(tool.writeOption)[0],
    // Without a folder to land in, what a folder holds lands beside everything else.
    contents: deep && has(tool.ontoOption),
  });
  const moreHazards = [
    ...(tool.operands === 'second' && split.writes.length > 0 ? ['the second operand is written'] : []),
    ...(name === 'date' && operands.some(({ pattern }) => !pattern.startsWith('+'))
      ? ['an operand sets the clock']
      : []),
    ...(name === 'less' && operands.some(({ pattern }) => pattern.startsWith('+'))
      ? ['+ runs a command at the start']
      : []),
  ];
  const all = [...hazards, ...moreHazards];
  const here = has(tool.deepOption) && split.reads.length === 0 ? [{ word: fixed('.') }] : [];
  const writesSomething = split.writes.length > 0;
  return {
    hazards: all,
    reads: [...split.reads, ...valuesOf(tool.readOption), ...here].map((use) =>
      deep ? { ...use, deep } : use,
    ),
    writes: split.writes,
    writer: tool.writer,
    editor: tool.editor,
    readOnly: tool.readOnly === true && all.length === 0 && !writesSomething,
    tolerant: tool.tolerant,
    globSafe: tool.readOnly === true && !writesSomething && !optionPowered.has(name),
  };
};

interface Given {
  /** The pattern stands in an option. */
  readonly pattern: boolean;
  readonly target?: PathUse;
  /** What sources hold becomes what the target holds. */
  readonly contents: boolean;
}

const operandUses = (
  tool: FileTool,
  operands: readonly ShellWord[],
  { pattern, target, contents }: Given,
): { readonly reads: readonly PathUse[]; readonly writes: readonly PathUse[] } => {
  const uses = operands.map((word) => ({ word }));
  const sources = target ? uses : uses.slice(0, -1);
  const into = target ?? uses.at(-1);
  switch (tool.operands) {
    case 'none':
      return { reads: [], writes: [] };
    case 'read':
      return { reads: uses, writes: [] };
    case 'write':
      return { reads: [], writes: uses };
    case 'pattern':
      return { reads: pattern ? uses : uses.slice(1), writes: [] };
    case 'second':
      return { reads: uses.slice(0, 1), writes: uses.slice(1) };
    case 'last':
      return { reads: sources, writes: landing(sources, into, contents) };
    case 'both':
    case 'move':
      return { reads: sources, writes: [...sources, ...landing(sources, into, contents)] };
  }
};

/** Where copies land: the target itself, or under the name of each source inside it. */
const landing = (
  sources: readonly PathUse[],
  target: PathUse | undefined,
  contents: boolean,
): readonly PathUse[] => {
  if (!target) return [];
  const inside = sources.map(({ word }): PathUse => {
    const name = word.pattern.replace(/\/+$/, '').split('/').at(-1) ?? '';
    // The contents of a folder land under names that are not known.
    const unclear = contents || name === '.' || name === '..' || word.kind !== 'fixed';
    return {
      word: { ...word, kind: unclear ? 'dynamic' : 'fixed', pattern: `${target.word.pattern}/${name}` },
    };
  });
  return [{ ...target, folder: true }, ...inside];
};
