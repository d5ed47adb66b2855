import type { PermissionWorld, Rule } from '../contract/permission.ts';
import { type Access, isInside, normalise, resolveForAccess, type Workspace, workspaceOf } from './access.ts';
import { mayMatchPath, pathMatches } from './path-pattern.ts';
import { protectedAccess } from './protected-paths.ts';
import { namesRead, namesTool, namesWrite } from './rule.ts';
import { ONE, STAR } from './wildcard.ts';

/** Everything about files that a judgement needs; links are followed when it first asks for them. */
export interface PathLaw {
  readonly world: PermissionWorld;
  readonly workspace: Workspace;
  resolve(path: string, cwd: string): Access | undefined;
}

export const pathLaw = (world: PermissionWorld): PathLaw => {
  let workspace: Workspace | undefined;
  return {
    world,
    get workspace() {
      workspace ??= workspaceOf([world.project, ...world.directories], world.readLink);
      return workspace;
    },
    resolve: (path, cwd) => resolveForAccess(path, cwd, { home: world.home, readLink: world.readLink }),
  };
};

export type Use = 'read' | 'write';

/** Rules of a behaviour that speak about a use. Read denials also block writes; edit permission implies reading. */
const rulesFor = (
  world: PermissionWorld,
  behavior: Rule['behavior'],
  use: Use,
  tool?: string,
): readonly Rule[] =>
  world.rules.filter((rule) => {
    if (rule.behavior !== behavior) return false;
    if (tool !== undefined && tool !== 'Read' && use === 'read' && namesTool(rule, tool)) return true;
    if (behavior === 'deny') return use === 'read' ? namesRead(rule) : namesWrite(rule) || namesRead(rule);
    if (behavior === 'ask') return use === 'read' ? namesRead(rule) : namesWrite(rule);
    return use === 'read' ? namesRead(rule) || namesWrite(rule) : namesWrite(rule);
  });

/** The first rule of a behaviour that covers a path. */
export const pathRule = (
  law: PathLaw,
  behavior: Rule['behavior'],
  use: Use,
  access: Access,
  options: { readonly tool?: string; readonly deep?: boolean; readonly specOnly?: boolean } = {},
): Rule | undefined =>
  rulesFor(law.world, behavior, use, options.tool).find(
    (rule) =>
      !(options.specOnly && rule.spec === undefined) &&
      (pathMatches(rule, access, law.world) ||
        (options.deep === true && coversBelow(rule, access, law.world))),
  );

/** `Read(secrets/**)` covers a search in `secrets`. */
const coversBelow = (rule: Rule, access: Access, world: PermissionWorld): boolean => {
  const probe = (path: string) => `${path}/\u2603`;
  return pathMatches(
    { ...rule, behavior: 'deny' },
    { lexical: probe(access.lexical), real: probe(access.real) },
    world,
  );
};

/** A deny rule that some file below a searched folder would meet, when it names that very neighbourhood. */
export const deniedBelow = (law: PathLaw, access: Access, hiddenToo: boolean): Rule | undefined =>
  rulesFor(law.world, 'deny', 'read').find((rule) => {
    const spec = rule.spec ?? '';
    const last = spec.replace(/\/+$/, '').split('/').at(-1) ?? '';
    if (!hiddenToo && last.startsWith('.')) return false;
    const anchored = spec.replace(/\/$/, '').includes('/') && !spec.startsWith('**/');
    const roots = law.workspace.roots.includes(access.lexical) || !isInside(access, law.workspace);
    return (
      (anchored || roots) &&
      mayMatchPath(rule, `${access.lexical === '/' ? '' : access.lexical}/\uE000`, law.world)
    );
  });

/** A deny rule that a file name pattern may reach. Leading wildcards do not match hidden names. */
export const deniedByGlob = (
  law: PathLaw,
  use: Use,
  pattern: string,
  cwd: string,
  behavior: 'deny' | 'ask' = 'deny',
): { readonly rule: Rule; readonly certain: boolean } | undefined => {
  const absolute = pattern.startsWith('/') ? pattern : `${cwd}/${pattern}`;
  const last = absolute.split('/').at(-1) ?? '';
  const hidden = !/^[\uE000-\uE002]/.test(last);
  const glob = normalise(absolute);
  for (const rule of rulesFor(law.world, behavior, use)) {
    const name = (rule.spec ?? '').split('/').at(-1) ?? '';
    if (name.startsWith('.') && !hidden) continue;
    if (mayMatchPath(rule, glob, law.world)) return { rule, certain: !/[*?[]/.test(name) && name !== '' };
  }
  return undefined;
};

/** The folder that a file name pattern starts from. */
export const fixedFolder = (pattern: string): string => {
  const at = pattern.search(/[\uE000-\uE002]/);
  const head = at < 0 ? pattern : pattern.slice(0, at);
  return head.includes('/') ? head.slice(0, head.lastIndexOf('/') + 1) : '.';
};

export const climbsAfterWildcard = (pattern: string): boolean =>
  new RegExp(`[${STAR}${ONE}\uE000].*(^|/)\\.\\.(/|$)`).test(pattern);

export const inside = (law: PathLaw, access: Access): boolean => isInside(access, law.workspace);
export const guarded = (law: PathLaw, access: Access): string | undefined =>
  protectedAccess(access, law.workspace);
export const isRoot = (law: PathLaw, access: Access): boolean =>
  [...law.workspace.roots, ...law.workspace.realRoots].some(
    (root) =>
      root === access.lexical ||
      root === access.real ||
      root.startsWith(`${access.lexical}/`) ||
      root.startsWith(`${access.real}/`),
  );

/** What a person is shown: both names when a link leads elsewhere. */
export const shownAccess = ({ lexical, real }: Access): string =>
  lexical === real ? lexical : `${lexical} (really ${real})`;
