import type { PermissionCall, PermissionWorld } from '../contract/permission.ts';
import { isWithin } from './access.ts';
import { everyUnit, readScript, type Unit } from './bash-units.ts';
import { pathOf } from './judge-file.ts';
import { type PathLaw, pathLaw } from './path-rules.ts';
import { hasWildcard } from './wildcard.ts';

/**
 * Where a call of an agent in a worktree would change the main checkout around it, or undefined. The world's project
 * is the worktree. What cannot be known before it runs is left to the rules: this keeps from accidents.
 */
export const outsideCheckout = (
  call: PermissionCall,
  world: PermissionWorld,
  main: string,
): string | undefined => {
  const law = pathLaw(world);
  const stray = (path: string, cwd: string): string | undefined => {
    const access = law.resolve(path, cwd);
    if (!access || access.lexical === world.planFile) return undefined;
    return [access.lexical, access.real].find((one) => isWithin(one, main) && !isWithin(one, world.project));
  };
  switch (call.tool) {
    case 'Edit':
    case 'Write':
    case 'NotebookEdit': {
      const path = pathOf(call);
      return path === undefined ? undefined : stray(path, world.cwd);
    }
    case 'Bash': {
      const text = typeof call.input.command === 'string' ? call.input.command : '';
      const units = everyUnit(readScript(text, [world.cwd], world.home).units);
      return units.flatMap((unit) => strayOf(unit, law, stray) ?? [])[0];
    }
    default:
      return undefined;
  }
};

const strayOf = (
  { command, facts }: Unit,
  law: PathLaw,
  stray: (path: string, cwd: string) => string | undefined,
): string | undefined => {
  const cwds = command.cwds ?? [law.world.cwd];
  const targets = [
    ...facts.writes.map(({ word }) => word),
    ...command.redirects.flatMap(({ operator, target }) => (operator === '<' ? [] : [target])),
  ].filter(({ pattern }) => pattern !== '' && !hasWildcard(pattern) && !/^\/dev\//.test(pattern));
  for (const cwd of cwds)
    for (const { pattern } of targets) {
      const found = stray(pattern, cwd);
      if (found !== undefined) return found;
    }
  const harmless = facts.readOnly || facts.gitReadOnly || command.words.length === 0;
  if (harmless) return undefined;
  const standing = [...cwds, ...gitFolders(command.words.map(({ pattern }) => pattern))];
  return standing.flatMap((cwd) => stray(cwd, law.world.cwd) ?? [])[0];
};

/** Where `git -C`, `--work-tree` and `--git-dir` let it work. */
const gitFolders = (words: readonly string[]): readonly string[] =>
  words[0] === 'git'
    ? words.flatMap((word, at) => {
        if (/^(-C|--work-tree|--git-dir)$/.test(word)) return words[at + 1] ?? [];
        return /^--(work-tree|git-dir)=/.test(word) ? word.slice(word.indexOf('=') + 1) : [];
      })
    : [];
