/** How a command of the model runs: in the sandbox unless it is one of those that cannot, and quiet where it only reads. */
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Box, Sandbox } from '../contract/sandbox.ts';
import type { SessionState } from '../contract/state.ts';
import { quietGit } from '../git/quiet.ts';
import { matchesIf } from '../permission/hook-filter.ts';
import { diskLinks } from '../permission/link-reader.ts';
import { protectedNames } from '../permission/protected-paths.ts';
import { gitPlaces } from '../permission/read-only.ts';
import { createSandbox, refusedBy } from '../sandbox/sandbox.ts';
import { ripgrepProgram } from '../search/ripgrep.ts';
import type { Gate } from './gate.ts';
import type { World } from './world.ts';

export interface Commands {
  readonly sandbox: Sandbox;
  /** True when the sandbox is on, this command runs in it and that is to spare the question. */
  spared(command: string, state: SessionState): boolean;
  /** Why it must not run at all. */
  unboxed(command: string, state: SessionState): string | undefined;
  box(state: SessionState, command: string): Promise<Box | { readonly refused: string } | undefined>;
  env(state: SessionState, command: string): Promise<Record<string, string>> | Record<string, string>;
}

const openSandbox = (world: World): Sandbox =>
  createSandbox({
    settings: () => world.loaded().settings.sandbox,
    home: world.homes.user ?? '/',
    own: world.homes.own ?? '/nonexistent',
    foreign: world.homes.foreign ?? '/nonexistent',
    protectedNames,
    temporary: realpathSync(world.host.env.TMPDIR ?? tmpdir()),
    path: world.host.env.PATH ?? '',
    platform: world.host.platform,
    ripgrep: ripgrepProgram,
  });

export const createCommands = (world: World, gate: () => Gate): Commands => {
  const sandbox = openSandbox(world);
  const home = world.homes.user ?? '/';
  const settings = () => world.loaded().settings;
  const env = () => world.childEnv();
  /** `docker` stands for `docker` with any arguments; one such command takes the whole script outside. */
  const excluded = (command: string, state: SessionState): boolean =>
    (settings().sandbox?.excludedCommands ?? []).some((pattern) =>
      [pattern, `${pattern} *`].some((spec) =>
        matchesIf(
          `Bash(${spec})`,
          { tool: 'Bash', input: { command } },
          { cwd: state.cwd, project: state.checkout, home, readLink: diskLinks },
        ),
      ),
    );
  const inside = (command: string, state: SessionState): boolean =>
    sandbox.state().state !== 'off' && !excluded(command, state);
  return {
    sandbox,
    spared: (command, state) =>
      sandbox.state().state === 'on' &&
      settings().sandbox?.autoAllowBashIfSandboxed !== false &&
      inside(command, state),
    unboxed(command, state) {
      const now = sandbox.state();
      return settings().sandbox?.required === true && now.state === 'unavailable' && inside(command, state)
        ? refusedBy(now)
        : undefined;
    },
    box: async (session, command) => {
      const state = gate().bound(session);
      if (!inside(command, state)) return undefined;
      return sandbox.box({
        checkout: state.checkout,
        project: state.project,
        directories: [...state.directories, ...(settings().permissions?.additionalDirectories ?? [])],
        planning: state.mode === 'plan',
      });
    },
    env: (state, command) =>
      /\bgit\b/.test(command) && settings().gitReadOnly !== false && gate().onlyReads(command, state)
        ? quietGit(gitPlaces(command, state.cwd, home), env(), [state.project, state.checkout])
        : env(),
  };
};

/** A sentence when a sandbox is wished for and there is none. */
export const sandboxTrouble = async (sandbox: Sandbox): Promise<string | undefined> => {
  const state = await sandbox.ready();
  return state.state === 'unavailable'
    ? `The sandbox is not available: ${state.reason} Commands run without it and ask as usual. ${state.fix}`
    : undefined;
};
