import type { PermissionWorld } from '../contract/permission.ts';
import { normalise } from './access.ts';
import { everyUnit, readScript, type ScriptReading, type Unit } from './bash-units.ts';
import { inside, type PathLaw, pathLaw } from './path-rules.ts';
import { isFixed, type ShellWord } from './shell-command.ts';
import { harmlessVariable } from './shell-variables.ts';

/** True when every command of a script is proven to change nothing, wherever it reads. */
export const isReadOnlyScript = (reading: ScriptReading, world: PermissionWorld, law: PathLaw): boolean =>
  reading.problems.length === 0 && reading.units.every((unit) => onlyReads(unit, world, law));

/** The same for the text of a Bash call. */
export const isReadOnlyCommand = (text: string, world: PermissionWorld): boolean =>
  isReadOnlyScript(readScript(text, [world.cwd], world.home), world, pathLaw(world));

const MOVES: ReadonlySet<string> = new Set(['cd', 'pushd', 'popd', 'chdir']);

/** The same for a text that stays where it is as well: what runs beside it cannot tell. */
export const isReadOnlyInPlace = (text: string, world: PermissionWorld): boolean => {
  const reading = readScript(text, [world.cwd], world.home);
  const stays = everyUnit(reading.units).every(({ command }) =>
    command.words.every(({ pattern }) => !MOVES.has(pattern)),
  );
  return stays && isReadOnlyScript(reading, world, pathLaw(world));
};

const onlyReads = (unit: Unit, world: PermissionWorld, law: PathLaw): boolean => {
  const { command, facts } = unit;
  if (
    facts.hazards.length > 0 ||
    !command.assigns.every(({ name, value, plain }) => plain && harmlessVariable(name) && isFixed(value))
  )
    return false;
  const harmless = command.redirects.every(
    ({ operator, target }) =>
      isFixed(target) &&
      (operator === '<'
        ? !/^\/dev\/(tcp|udp)/.test(target.pattern)
        : /^[<>]&$/.test(operator)
          ? /^(\d+-?|-)$/.test(target.pattern)
          : /^\/dev\/(null|stdout|stderr)$/.test(target.pattern)),
  );
  if (!harmless) return false;
  if (command.words.length === 0) return true;
  if (facts.wrapper === 'transparent' && unit.children.length > 0) {
    return (
      command.words[0]?.pattern.includes('/') !== true &&
      unit.children.every((child) => onlyReads(child, world, law))
    );
  }
  const known = command.words.every(
    (word) => isFixed(word) || word.kind === 'pipe' || facts.tolerant || facts.globSafe,
  );
  if (!known) return false;
  if (facts.readOnly) return true;
  return facts.gitReadOnly === true && world.gitReadOnly && standsInside(unit, law);
};

/** Git reads configuration of the folder it runs in. */
const standsInside = ({ command }: Unit, law: PathLaw): boolean =>
  (command.cwds ?? ['/']).every((cwd) => {
    const access = law.resolve('.', cwd);
    return access !== undefined && inside(law, access);
  });

/** The directories that the git commands of a script work in. */
export const gitPlaces = (text: string, cwd: string, home: string): readonly string[] => {
  const units = everyUnit(readScript(text, [cwd], home).units);
  const places = units.flatMap(({ command }) => {
    if (command.words[0]?.pattern !== 'git') return [];
    return (command.cwds ?? [cwd]).map((place) => foldersOf(command.words.slice(1), place));
  });
  return [...new Set(places)];
};

/** `-C a -C b` lead to `a/b`. */
const foldersOf = (words: readonly ShellWord[], start: string): string => {
  let place = start;
  for (let at = 0; words[at]?.pattern.startsWith('-'); at++) {
    if (words[at]?.pattern !== '-C') continue;
    at++;
    const folder = words[at]?.pattern ?? '.';
    place = normalise(folder.startsWith('/') ? folder : `${place}/${folder}`);
  }
  return place;
};
