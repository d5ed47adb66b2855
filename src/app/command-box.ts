/** How a command of the model runs: in the sandbox unless it is one of those that cannot, and quiet where it only reads. */
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Box, Sandbox, SandboxState } from '../contract/sandbox.ts';
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

export interface CommandBox {
  readonly sandbox: Sandbox;
  /** Said at the start: a sandbox is wished for and there is none. */
  readonly trouble?: string;
  /** True when the sandbox is on, this command runs in it and that is to spare the question. */
  spared(command: string, state: SessionState): boolean;
  /** Why it must not run at all. */
  unboxed(command: string, state: SessionState): string | undefined;
  box(state: SessionState, command: string): Promise<Box | { readonly refused: string } | undefined>;
}

export interface Commands extends CommandBox {
  /** The environment that it runs in. */
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

/** `bound`: a child's state as those above it bind it. */
export const openBox = async (world: World, bound: Gate['bound']): Promise<CommandBox> => {
  const sandbox = openSandbox(world);
  const home = world.homes.user ?? '/';
  const settings = () => world.loaded().settings;
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
  const trouble = troubleOf(await sandbox.ready());
  return {
    sandbox,
    ...(trouble ? { trouble } : {}),
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
      const state = bound(session);
      if (!inside(command, state)) return undefined;
      return sandbox.box({
        checkout: state.checkout,
        project: state.project,
        directories: [...state.directories, ...(settings().permissions?.additionalDirectories ?? [])],
        planning: state.mode === 'plan',
      });
    },
  };
};

/** Quiet where it only reads. */
export const commandEnv =
  (world: World, onlyReads: Gate['onlyReads']): Commands['env'] =>
  (state, command) => {
    const env = world.childEnv();
    const quiet =
      /\bgit\b/.test(command) && world.loaded().settings.gitReadOnly !== false && onlyReads(command, state);
    if (!quiet) return env;
    const places = gitPlaces(command, state.cwd, world.homes.user ?? '/');
    return quietGit(places, env, [state.project, state.checkout]);
  };

/** A sentence when a sandbox is wished for and there is none. */
const troubleOf = (state: SandboxState): string | undefined =>
  state.state === 'unavailable'
    ? `The sandbox is not available: ${state.reason} Commands run without it and ask as usual. ${state.fix}`
    : undefined;
