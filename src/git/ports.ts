/** What the worktree service needs of the world. */
import type { Processes } from './owner.ts';
import type { GitProgram } from './run.ts';

export interface WorktreeSettings {
  /** `fresh`: the default branch of origin, else HEAD. */
  readonly baseRef: 'fresh' | 'head';
  /** Folders of the main checkout that a worktree links to in place of having its own. */
  readonly symlinkDirectories: readonly string[];
  /** Folders that are checked out alone, with the files at the top; empty: everything. */
  readonly sparsePaths: readonly string[];
  /** Names of folders whose ignored files hold no worktree back. */
  readonly disposable: readonly string[];
}

export interface WorktreeDeps {
  /** Undefined where git is not installed. */
  readonly program: GitProgram | undefined;
  readonly processes: Processes;
  /** Variables that lead to the network: proxies, certificates, the agent of ssh. */
  readonly network: Readonly<Record<string, string>>;
  settings(): WorktreeSettings;
  /** Keeps every other process out of the work until released; waits for the living, takes over from the dead. */
  lock(path: string): Promise<{ release(): void } | { readonly refused: string }>;
  now(): Date;
}

/** Folders of dependencies and builds (ruling 41), unless `worktree.disposableDirectories` says otherwise. */
export const DISPOSABLE: readonly string[] = [
  'node_modules',
  'bower_components',
  '.venv',
  'venv',
  '__pycache__',
  '.tox',
  '.nox',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  'target',
  'dist',
  'build',
  'out',
  '.next',
  '.nuxt',
  '.svelte-kit',
  '.turbo',
  '.parcel-cache',
  '.cache',
  'coverage',
  '.nyc_output',
  '.gradle',
  '.dart_tool',
  'Pods',
  'DerivedData',
  '_build',
  '.stack-work',
  'dist-newstyle',
  'zig-cache',
  '.zig-cache',
  '.terraform',
];
