/** Owns @anthropic-ai/sandbox-runtime (bubblewrap, Seatbelt): looked at once, loaded when it is wanted. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Box, Sandbox, SandboxLaw, SandboxPlace, SandboxState } from '../contract/sandbox.ts';
import type { Settings } from '../contract/settings.ts';
import { errorText } from '../lib/error-text.ts';
import { ignoreGhosts, toldToGit } from './ghosts.ts';
import { guardPointers } from './git-pointers.ts';
import { lawOf, type SandboxFacts } from './law.ts';

type Runtime = typeof import('@anthropic-ai/sandbox-runtime')['SandboxManager'];

export interface SandboxWish extends SandboxFacts {
  settings(): Settings['sandbox'];
  /** Where a scratch folder is made; `path` is where programs are found. */
  readonly temporary: string;
  readonly path: string;
  readonly platform: string;
  /** The ripgrep that the library looks for configuration files with. */
  ripgrep(): Promise<string>;
}

const INSTALL =
  'Install bubblewrap and socat (Debian and Ubuntu: sudo apt-get install bubblewrap socat; Fedora: sudo dnf install bubblewrap socat), then start again.';
const ALLOW =
  'The system forbids it: on Ubuntu 24.04 and newer allow user namespaces for bwrap (sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap); in Docker run the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined.';

const NOT_YET: SandboxState = {
  state: 'unavailable',
  reason: 'It was not tried yet.',
  fix: 'It is tried with the next command.',
};

const PROBE_MS = 15_000;

/** One sandbox of the whole program; every command gets a box of its own inside. */
export const createSandbox = (wish: SandboxWish): Sandbox => {
  let looked: Promise<{ readonly runtime: Runtime } | Unavailable> | undefined;
  let known: SandboxState | undefined;
  let scratch: string | undefined;
  /** What we write for commands, where none of them may write. */
  let told: string | undefined;
  let inForce = '';
  const wanted = () => wish.settings()?.enabled === true || wish.settings()?.required === true;
  const scratchFolder = (): string => {
    scratch ??= mkdtempSync(join(wish.temporary, 'coppice-sandbox-'));
    return scratch;
  };
  const law = (place: SandboxPlace): SandboxLaw => lawOf(wish.settings(), place, wish, scratchFolder());

  const look = async (): Promise<{ readonly runtime: Runtime } | Unavailable> => {
    if (wish.platform !== 'linux' && wish.platform !== 'darwin')
      return unavailable('There is no sandbox for this system.', 'Run Coppice under Linux, macOS or WSL2.');
    try {
      const { SandboxManager: runtime } = await import('@anthropic-ai/sandbox-runtime');
      const ripgrep = { command: await wish.ripgrep() };
      const { errors } = runtime.checkDependencies(ripgrep);
      if (errors.length > 0) return unavailable(`${errors.join('; ')}.`, INSTALL);
      await runtime.initialize({
        ripgrep,
        mandatoryDenySearchDepth: 2,
        ...runtimeLaw({ allowWrite: [], denyWrite: [], denyRead: [], allowedDomains: [], deniedDomains: [] }),
      });
      const problem = await tried(runtime, wish.path);
      if (problem === undefined) return { runtime };
      await runtime.reset();
      return unavailable(`A first try failed: ${problem}`, ALLOW);
    } catch (error) {
      return unavailable(errorText(error), INSTALL);
    }
  };
  const ready = async (): Promise<SandboxState> => {
    if (!wanted()) return { state: 'off' };
    looked ??= look();
    const found = await looked;
    known = 'runtime' in found ? { state: 'on' } : found;
    return known;
  };

  return {
    state: () => (wanted() ? (known ?? NOT_YET) : { state: 'off' }),
    ready,
    law,
    async box(place): Promise<Box | { readonly refused: string } | undefined> {
      const state = await ready();
      const found = await looked;
      if (state.state === 'off' || found === undefined) return undefined;
      if (!('runtime' in found)) {
        if (wish.settings()?.required !== true || state.state !== 'unavailable') return undefined;
        return { refused: refusedBy(state) };
      }
      const { runtime } = found;
      const config = runtimeLaw(law(place));
      const before = runtime.getConfig();
      const network = JSON.stringify(config.network);
      if (before && network !== inForce) {
        inForce = network;
        runtime.updateConfig({ ...before, network: config.network });
      }
      const folder = scratchFolder();
      const names = wish.protectedNames;
      told ??= mkdtempSync(join(wish.temporary, 'coppice-told-'));
      const ignored = join(told, randomUUID());
      await ignoreGhosts(ignored, { home: wish.home, checkout: place.checkout, names });
      const line = await runtime.wrapWithSandbox(inner(folder, ignored), '/bin/bash', config, undefined, {
        commandId: 'coppice',
      });
      const takeAway = guardPointers([...new Set([place.checkout, place.project, ...place.directories])]);
      let over = false;
      return {
        line,
        scratch: folder,
        done: () => {
          if (over) return [];
          over = true;
          runtime.cleanupAfterCommand();
          rmSync(ignored, { force: true });
          return takeAway();
        },
      };
    },
    async close() {
      const found = await looked;
      if (found && 'runtime' in found) await found.runtime.reset();
      for (const folder of [scratch, told]) if (folder) rmSync(folder, { recursive: true, force: true });
      scratch = undefined;
      told = undefined;
    },
  };
};

type Unavailable = Extract<SandboxState, { readonly state: 'unavailable' }>;

/** What is said where the sandbox is required and there is none. */
export const refusedBy = ({ reason, fix }: Unavailable): string =>
  `Commands may only run in a sandbox here (sandbox.required), and there is none. ${reason} ${fix}`;

const unavailable = (reason: string, fix: string): Unavailable => ({ state: 'unavailable', reason, fix });

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The script comes by the environment, so that its length and its quotes do not matter. */
const inner = (folder: string, ignored: string): string =>
  `export TMPDIR=${quoted(folder)}; ${toldToGit(quoted(ignored))}; exec bash --norc --noprofile -c 's=$COPPICE_SCRIPT; unset COPPICE_SCRIPT; eval "$s"'`;

/** A path with a star in it is meant as a pattern. */
const literal = (paths: readonly string[]) =>
  paths.map((path) => (/[*?[]/.test(path) ? path : { path, literal: true as const }));

const runtimeLaw = (law: SandboxLaw) => ({
  network: { allowedDomains: [...law.allowedDomains], deniedDomains: [...law.deniedDomains] },
  filesystem: {
    denyRead: literal(law.denyRead),
    allowWrite: literal(law.allowWrite),
    denyWrite: literal(law.denyWrite),
  },
});

/** Undefined when `true` runs inside; else what was said. */
const tried = async (runtime: Runtime, path: string): Promise<string | undefined> => {
  const line = await runtime.wrapWithSandbox('true', '/bin/bash', undefined, undefined, {
    commandId: 'coppice',
  });
  try {
    return await new Promise((resolve) => {
      execFile(
        'bash',
        ['--norc', '--noprofile', '-c', line],
        { cwd: '/', env: { PATH: path }, timeout: PROBE_MS },
        (error, _out, said) => resolve(error ? said.trim().slice(0, 300) || error.message : undefined),
      );
    });
  } finally {
    runtime.cleanupAfterCommand();
  }
};
