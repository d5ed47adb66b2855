import type { PermissionCall, PermissionWorld, Rule } from '../contract/permission.ts';
import { canonicalName } from '../contract/tool-names.ts';
import { bashRules, catches } from './bash-rules.ts';
import { everyUnit, readScript } from './bash-units.ts';
import { pathOf } from './judge-file.ts';
import { mayMatchPath, pathMatches } from './path-pattern.ts';
import { pathLaw } from './path-rules.ts';
import { namesTool, parseRule } from './rule.ts';
import { parameterMatches, specCovers } from './spec-match.ts';
import { ANY } from './wildcard.ts';

/** The places a filter needs: no rules and no mode. */
export type FilterWorld = Pick<PermissionWorld, 'cwd' | 'home' | 'project' | 'readLink'>;

/**
 * Whether a hook's `if` lets the hook run on a call. Matched like a deny rule: any command of a script, any
 * spelling of a path, and whatever cannot be analysed or read counts as a match. The tool must be the call's own
 * (ruling 6): `Edit(x)` does not speak about Write.
 */
export const matchesIf = (filter: string, call: PermissionCall, world: FilterWorld): boolean => {
  const { rule } = parseRule(filter, 'deny', { source: 'session' });
  if (!rule) return true;
  const tool = canonicalName(call.tool);
  if (!namesTool(rule, tool)) return false;
  if (rule.spec === undefined || parameterMatches(rule, call)) return true;
  if (tool === 'Bash') return commandMatches(rule, String(call.input.command ?? ''), world);
  const path = pathOf(call);
  const pattern = call.input.pattern;
  if (
    tool === 'Glob' &&
    typeof pattern === 'string' &&
    pathMatchesIf(rule, `${path ?? '.'}/${pattern}`, world)
  )
    return true;
  if (path !== undefined) return pathMatchesIf(rule, path, world);
  return specCovers(rule, { ...call, tool });
};

const commandMatches = (rule: Rule, text: string, world: FilterWorld): boolean => {
  const reading = readScript(text, [world.cwd], world.home);
  if (reading.problems.length > 0) return true;
  const [ready] = bashRules([rule], world.home);
  return (
    ready !== undefined &&
    everyUnit(reading.units).some(
      ({ command, facts }) =>
        command.words.length > 0 &&
        catches(ready, [command.words, ...(facts.plainWords ? [facts.plainWords] : [])]) !== 'no',
    )
  );
};

const pathMatchesIf = (rule: Rule, path: string, world: FilterWorld): boolean => {
  const law = pathLaw({ ...world, rules: [], mode: 'default', directories: [], gitReadOnly: false });
  const access = law.resolve(path, world.cwd);
  if (!access) return true;
  const glob = access.lexical.replaceAll('**', ANY).replaceAll('*', '\uE001');
  return [world.project, world.cwd].some(
    (project) =>
      pathMatches(rule, access, { ...world, project }) || mayMatchPath(rule, glob, { ...world, project }),
  );
};
