/** What a command inside may touch (security T7 and 2.7): what later runs outside is protected, there or not. */
import { lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SandboxLaw, SandboxPlace } from '../contract/sandbox.ts';
import type { Settings } from '../contract/settings.ts';

/** Where things lie on this computer. */
export interface SandboxFacts {
  readonly home: string;
  /** Our own folder under the home, and the foreign one. */
  readonly own: string;
  readonly foreign: string;
  /** Names of files and folders that run something later, wherever they stand. */
  readonly protectedNames: readonly string[];
}

/** Folders with settings, skills, agents, hooks: whatever starts or loosens something later. */
const CONFIGURATION = ['.coppice', '.claude', '.agents'] as const;
const RC_FILES = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.gitconfig',
  '.config/git',
  '.config/fish',
  '.claude.json',
  // Code that the next start runs.
  '.cache/coppice',
] as const;
/** Credentials of other programs, by where they keep them in the home. */
const SECRETS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.kube',
  '.docker/config.json',
  '.config/containers/auth.json',
  '.netrc',
  '_netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.config/pip',
  '.gem/credentials',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.composer/auth.json',
  '.config/composer/auth.json',
  '.terraformrc',
  '.terraform.d/credentials.tfrc.json',
  '.vault-token',
  '.oci',
  '.config/doctl',
  '.config/rclone',
  '.s3cfg',
  '.boto',
  '.pgpass',
  '.my.cnf',
  '.password-store',
  '.local/share/keyrings',
  '.config/op',
  '.codex/auth.json',
  '.gemini/oauth_creds.json',
  '.config/github-copilot',
  '.claude.json',
] as const;

/** Where commands write a protected folder for good reasons: what of it runs. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  '.git': [],
  '.yarn': ['.yarn/releases', '.yarn/plugins'],
  '.direnv': [],
};

const kindOf = (path: string): 'folder' | 'other' | 'missing' => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? 'missing' : found.isDirectory() ? 'folder' : 'other';
};

/** A missing folder is held by the name of a file in it: so it appears as an empty folder and not as a file. */
const held = (folder: string, file: string): string =>
  kindOf(folder) === 'missing' ? join(folder, file) : folder;

const gitParts = (root: string): readonly string[] => {
  const git = join(root, '.git');
  if (kindOf(git) === 'other') return [git];
  if (kindOf(git) === 'missing') return [join(git, 'hooks')];
  return [
    join(git, 'hooks'),
    join(git, 'config'),
    ...(kindOf(join(git, 'info')) === 'folder' ? [join(git, 'info', 'attributes')] : []),
    ...there(['config.worktree', 'commondir', 'modules'].map((name) => join(git, name))),
    ...worktreesOf(git).flatMap((own) =>
      there(['commondir', 'gitdir', 'config.worktree'].map((name) => join(own, name))),
    ),
  ];
};

/** What git keeps of each worktree. */
const worktreesOf = (git: string): readonly string[] => {
  const folder = join(git, 'worktrees');
  return kindOf(folder) === 'folder' ? readdirSync(folder).map((name) => join(folder, name)) : [];
};

/** What in a writable folder must stay as it is. */
const protectedIn = (root: string, names: readonly string[]): readonly string[] => [
  ...CONFIGURATION.map((name) => held(join(root, name), 'settings.json')),
  join(root, '.mcp.json'),
  ...there(names.flatMap((name) => WITHIN[name] ?? [name]).map((name) => join(root, name))),
  ...gitParts(root),
];

const expanded = (paths: readonly string[] | undefined, base: string, home: string): readonly string[] =>
  (paths ?? []).map((path) =>
    path === '~' || path.startsWith('~/')
      ? join(home, path.slice(1))
      : resolve(base, path.startsWith('//') ? path.slice(1) : path),
  );

const there = (paths: readonly string[]): readonly string[] =>
  paths.filter((path) => kindOf(path) !== 'missing');

export const lawOf = (
  settings: Settings['sandbox'],
  place: SandboxPlace,
  facts: SandboxFacts,
  scratch: string,
): SandboxLaw => {
  const { filesystem = {}, network = {} } = settings ?? {};
  const more = (paths: readonly string[] | undefined) => expanded(paths, place.project, facts.home);
  const roots = [place.checkout, ...place.directories];
  const gitOfMain = place.checkout === place.project ? [] : [join(place.project, '.git')];
  const allowWrite = place.planning
    ? [scratch]
    : [...new Set([...roots, ...gitOfMain, ...more(filesystem.allowWrite), scratch])];
  /** What does not exist needs holding only where it could be made. */
  const holds = (path: string): boolean =>
    kindOf(path) !== 'missing' || allowWrite.some((root) => path.startsWith(`${root}/`));
  return {
    allowWrite,
    denyWrite: [
      ...new Set([
        ...roots.flatMap((root) => protectedIn(root, facts.protectedNames)),
        ...(gitOfMain.length > 0 ? gitParts(place.project) : []),
        ...[facts.own, facts.foreign].filter(holds).map((folder) => held(folder, 'settings.json')),
        ...RC_FILES.map((name) => join(facts.home, name)).filter(holds),
        ...more(filesystem.denyWrite),
      ]),
    ],
    denyRead: [
      ...new Set([
        ...there(SECRETS.map((name) => join(facts.home, name))),
        ...there([join(facts.own, 'credentials.json'), join(facts.foreign, '.credentials.json')]),
        ...more(filesystem.denyRead),
      ]),
    ],
    allowedDomains: network.allowedDomains ?? [],
    deniedDomains: network.deniedDomains ?? [],
  };
};
