import type { CommandFacts } from './command-facts.ts';
import { inspect } from './inspect.ts';
import { runnerInner } from './package-runners.ts';
import { baseName, type Problem, type ShellCommand } from './shell-command.ts';
import { startAt, type Walker } from './shell-here.ts';
import { parseShell } from './shell-syntax.ts';
import { lostSubstitution, tripped } from './shell-tripwire.ts';
import { walkScript } from './shell-walk.ts';

/** A command of a script with what is known of it and what it runs in turn. */
export interface Unit {
  readonly command: ShellCommand;
  readonly facts: CommandFacts;
  readonly children: readonly Unit[];
  /** What package runners and containers would run: only deny and ask rules look at it. */
  readonly shadows: readonly Unit[];
}

export interface ScriptReading {
  readonly units: readonly Unit[];
  readonly problems: readonly Problem[];
}

const depthLimit = 12;
const unitLimit = 5_000;

/**
 * Every command that a Bash text can run, as far as it can be told, and the constructs that hide some. Never
 * throws: what breaks the reading becomes a problem, and what was understood before it stays.
 */
export const readScript = (text: string, cwds: readonly string[], home: string): ScriptReading => {
  const problems: Problem[] = [];
  const budget = { units: unitLimit };
  const units = readText(text, cwds, home, problems, budget, 0);
  return { units, problems: [...new Set(problems)] };
};

const readText = (
  text: string,
  cwds: readonly string[] | undefined,
  home: string,
  problems: Problem[],
  budget: { units: number },
  depth: number,
): readonly Unit[] => {
  problems.push(...tripped(text));
  const parsed = parseShell(text);
  if ('failure' in parsed) {
    problems.push('a text that the parser gave up on');
    return [];
  }
  const commands: ShellCommand[] = [];
  const walker: Walker = {
    home,
    command: (command) => commands.push(command),
    problem: (what) => problems.push(what),
    walk: walkScript,
  };
  try {
    const lost = lostSubstitution(text, parsed.script);
    if (lost) problems.push(lost);
    walkScript(parsed.script, startAt(cwds, home), walker);
  } catch (error) {
    problems.push(`a text that is nested too deeply (${error instanceof Error ? error.name : 'error'})`);
  }
  return commands.map((command) => unitOf(command, home, problems, budget, depth));
};

const unitOf = (
  command: ShellCommand,
  home: string,
  problems: Problem[],
  budget: { units: number },
  depth: number,
): Unit => {
  const facts = inspect(command);
  problems.push(...(facts.problems ?? []));
  budget.units--;
  if (depth >= depthLimit || budget.units < 0) {
    problems.push('commands nested or repeated too often');
    return { command, facts, children: [], shadows: [] };
  }
  const below = (inner: ShellCommand) => unitOf(inner, home, problems, budget, depth + 1);
  const scripts = (facts.scripts ?? []).flatMap(({ text, sure }) => {
    if (!sure) problems.push('shell text that is not known before it runs');
    // Unknown parts become a variable that is never set: deny rules still see the rest.
    return readText(
      text.replaceAll(/[\uE000-\uE002]/g, '$_unknown'),
      command.cwds,
      home,
      problems,
      budget,
      depth + 1,
    );
  });
  const word = command.words[0];
  const name = word?.kind === 'fixed' ? baseName(word.pattern) : '';
  return {
    command,
    facts,
    children: [...(facts.runs ?? []).map(below), ...scripts],
    shadows: [
      ...runnerInner(name, command).map((inner) => unitOf(inner, home, [], budget, depth + 1)),
      ...(facts.hints ?? []).flatMap((text) => readText(text, command.cwds, home, [], budget, depth + 1)),
    ],
  };
};

/** A unit and everything below it, shadows included. */
export const everyUnit = (units: readonly Unit[]): readonly Unit[] =>
  units.flatMap((unit) => [unit, ...everyUnit(unit.children), ...everyUnit(unit.shadows)]);

/** The name without its directory, when it is known. */
export const calledAs = ({ command }: Unit): string | undefined => {
  const word = command.words[0];
  return word?.kind === 'fixed' ? baseName(word.pattern) : undefined;
};
