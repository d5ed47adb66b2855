import type { Access, Workspace } from './access.ts';
import { isWithin } from './access.ts';

/**
 * What runs later without a further question: version control, our own and foreign configuration, start-up
 * files, editor tasks. No allow rule and no mode short of bypass lets a call write there (security 2.1.10).
 */
const directories: ReadonlySet<string> = new Set([
  '.git',
  '.coppice',
  '.claude',
  '.agents',
  '.vscode',
  '.idea',
  '.husky',
  '.cargo',
  '.devcontainer',
  '.yarn',
  '.mvn',
  '.ssh',
  '.gnupg',
  '.aws',
  '.kube',
  '.docker',
  '.direnv',
  '.githooks',
]);

const files: ReadonlySet<string> = new Set([
  '.mcp.json',
  '.gitconfig',
  '.gitmodules',
  '.gitattributes',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '.pnpmfile.cjs',
  '.envrc',
  '.netrc',
  '.pypirc',
  '.curlrc',
  '.wgetrc',
  '.vimrc',
  '.exrc',
  '.nvimrc',
  '.emacs',
  '.inputrc',
  '.lesskey',
  '.ripgreprc',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.xinitrc',
  '.xprofile',
  '.xsession',
  '.pythonrc',
  '.lldbinit',
  '.gdbinit',
  'lefthook.yml',
  '.pre-commit-config.yaml',
]);

/** Names that are protected wherever they stand. */
export const protectedNames: readonly string[] = [...directories, ...files];

const pairs: readonly (readonly [string, string])[] = [
  ['.config', 'git'],
  ['.config', 'fish'],
  ['.config', 'autostart'],
  ['.config', 'systemd'],
  ['.config', 'gh'],
  ['.config', 'nvim'],
  // Code that V8 runs without another look (app/kept-code.ts).
  ['.cache', 'coppice'],
];

const homesWithWorktrees: ReadonlySet<string> = new Set(['.coppice', '.claude']);

/** The protected name in a path, or undefined. Names compare without case: some disks do. */
export const protectedName = (path: string, workspace: Workspace): string | undefined => {
  const root = [...workspace.roots, ...workspace.realRoots]
    .filter((candidate) => candidate !== '/' && isWithin(path, candidate))
    .sort((a, b) => b.length - a.length)[0];
  return nameIn(
    path
      .slice(root?.length ?? 0)
      .split('/')
      .filter((segment) => segment !== ''),
  );
};

const nameIn = (segments: readonly string[]): string | undefined => {
  for (const [index, segment] of segments.entries()) {
    const name = segment.toLowerCase();
    const next = segments[index + 1]?.toLowerCase();
    if (homesWithWorktrees.has(name) && next === 'worktrees') {
      // Inside a worktree everything is judged as in a checkout of its own; the folder itself stays guarded.
      return segments.length > index + 3 ? nameIn(segments.slice(index + 3)) : segment;
    }
    if (directories.has(name) || files.has(name)) return segment;
    if (pairs.some(([first, second]) => name === first && next === second)) return `${segment}/${next}`;
  }
  return undefined;
};

/** The protected name that either side of an access touches. */
export const protectedAccess = (access: Access, workspace: Workspace): string | undefined =>
  protectedName(access.lexical, workspace) ?? protectedName(access.real, workspace);
