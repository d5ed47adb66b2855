import type { PermissionCall, PermissionWorld } from '../contract/permission.ts';
import { isWithin } from './access.ts';
import { calledAs, readScript, type Unit } from './bash-units.ts';
import { sharedByAll } from './git-shared.ts';
import { pathOf } from './judge-file.ts';
import { knownPart, mayRun, namedPaths } from './named-paths.ts';
import { type PathLaw, pathLaw } from './path-rules.ts';

/** What lies in these was installed, not written. */
const INSTALLED = /\/(node_modules|\.venv|venv)(\/|$)/;

/**
 * Where a call made in a worktree may change the main checkout around it, or what all checkouts share; undefined
 * where it does neither. The world's project is the worktree. A command that is not proven to only read counts by every path that it names, in the main checkout or
 * in another worktree below it. What cannot be known before it runs is left to the rules and the sandbox: this
 * keeps from accidents.
 */
export const outsideCheckout = (
  call: PermissionCall,
  world: PermissionWorld,
  main: string,
): string | undefined => {
  const law = pathLaw(world);
  const isStray = (path: string): boolean => isWithin(path, main) && !isWithin(path, world.project);
  const places: Places = {
    law,
    written(path, cwd) {
      const access = law.resolve(path, cwd);
      if (!access || access.lexical === world.planFile) return undefined;
      return [access.lexical, access.real].find(isStray);
    },
    named(path, cwd) {
      const access = law.resolve(path, cwd);
      if (!access) return undefined;
      const { lexical, real } = access;
      // A folder of the main checkout that was linked into the worktree stands for the worktree's own.
      const linked = isWithin(lexical, world.project) && real === main + lexical.slice(world.project.length);
      return [lexical, ...(linked ? [] : [real])].find((one) => isStray(one) && !INSTALLED.test(one));
    },
  };
  switch (call.tool) {
    case 'Edit':
    case 'Write':
    case 'NotebookEdit': {
      const path = pathOf(call);
      return path === undefined ? undefined : places.written(path, world.cwd);
    }
    case 'Bash': {
      const text = typeof call.input.command === 'string' ? call.input.command : '';
      const units = mayRun(readScript(text, [world.cwd], world.home).units);
      return units.flatMap((unit) => strayOf(unit, places) ?? fedFrom(unit, units, places) ?? [])[0];
    }
    default:
      return undefined;
  }
};

interface Places {
  readonly law: PathLaw;
  /** What is written at a path, links followed. */
  written(path: string, cwd: string): string | undefined;
  /** What a command has to do with a path that it names is not known. */
  named(path: string, cwd: string): string | undefined;
}

const isHarmless = (unit: Unit): boolean => {
  const { command, facts, children } = unit;
  const finds = calledAs(unit) === 'find' && facts.hazards.length === children.length;
  return (
    facts.readOnly === true ||
    facts.gitReadOnly === true ||
    command.words.length === 0 ||
    (finds && children.every(isHarmless))
  );
};

const strayOf = (unit: Unit, { law, written, named }: Places): string | undefined => {
  const { command, facts, children } = unit;
  const cwds = command.cwds ?? [law.world.cwd];
  const among = (paths: readonly string[], where: Places['written']): string | undefined =>
    cwds.flatMap((cwd) => paths.flatMap((path) => where(path, cwd) ?? []))[0];
  const targets = [
    ...facts.writes.map(({ word }) => word),
    ...command.redirects.flatMap(({ operator, target }) => (operator === '<' ? [] : [target])),
  ].flatMap(({ pattern }) => knownPart(pattern) ?? []);
  const target = among(
    targets.filter((path) => !/^\/dev\//.test(path) && !(calledAs(unit) === 'ln' && INSTALLED.test(path))),
    written,
  );
  if (target !== undefined || isHarmless(unit)) return target;
  const shared = calledAs(unit) === 'git' ? sharedByAll(facts.plainWords ?? []) : undefined;
  if (shared !== undefined) return shared;
  if (facts.wrapper === 'transparent' && children.length > 0) return undefined;
  return (
    among(['.', ...gitFolders(command.words.map(({ pattern }) => pattern))], written) ??
    among(namedPaths(unit), named)
  );
};

/** `find /main | xargs sed -i`: what another command of the script lists is what this one changes. */
const fedFrom = (unit: Unit, units: readonly Unit[], { law, named }: Places): string | undefined => {
  const { command, children } = unit;
  if (!/^(xargs|parallel)$/.test(calledAs(unit) ?? '') || command.stdin.from !== 'pipe') return undefined;
  if (children.length > 0 && children.every(isHarmless)) return undefined;
  return units.flatMap(({ facts, command: { cwds = [law.world.cwd] } }) =>
    facts.reads.flatMap(({ word }) =>
      cwds.flatMap((cwd) => named(knownPart(word.pattern) ?? '.', cwd) ?? []),
    ),
  )[0];
};

/** Where `git -C`, `--work-tree` and `--git-dir` let it work. */
const gitFolders = (words: readonly string[]): readonly string[] =>
  words[0] === 'git'
    ? words.flatMap((word, at) => {
        if (/^(-C|--work-tree|--git-dir)$/.test(word)) return words[at + 1] ?? [];
        return /^--(work-tree|git-dir)=/.test(word) ? word.slice(word.indexOf('=') + 1) : [];
      })
    : [];
