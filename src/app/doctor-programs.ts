/** The programs and the terminal that Coppice stands on. */
import { execFile } from 'node:child_process';
import { onPath } from '../lib/on-path.ts';
import { ripgrepProgram } from '../search/ripgrep.ts';
import { type DoctorCheck, fail, ok, warn } from './doctor-check.ts';
import { definedOnly } from './variables.ts';
import type { World } from './world.ts';

const NODE_MAJOR = 24;
const ANSWER_MS = 5_000;

/** First line of what a program prints, or undefined when it cannot be run. */
const firstLine = (
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(file, [...args], { env, timeout: ANSWER_MS }, (error, stdout) =>
      resolve(error ? undefined : (stdout.split('\n')[0]?.trim() ?? '')),
    );
  });

const node = (version: string): DoctorCheck => {
  const major = Number(version.replace(/^v/, '').split('.')[0]);
  return major >= NODE_MAJOR
    ? ok('node', version)
    : fail('node', version, `Install Node.js ${NODE_MAJOR} or newer.`);
};

const bundle = (address: string): DoctorCheck =>
  address.endsWith('.ts')
    ? warn(
        'program',
        'runs unbundled, from its sources',
        'Run npm run build: it starts several times faster.',
      )
    : ok('program', `bundled, in ${new URL('.', address).pathname}`);

const sandbox = async (world: World, path: string): Promise<DoctorCheck> => {
  const wanted = world.loaded().settings.sandbox;
  const tools = world.host.platform === 'linux' ? ['bwrap', 'socat'] : [];
  const found = await Promise.all(tools.map((tool) => onPath(tool, path)));
  const missing = tools.filter((_, at) => found[at] === undefined);
  const known = world.host.platform === 'linux' || world.host.platform === 'darwin';
  const state = wanted?.enabled ? 'on' : 'off';
  if (!known) return ok('sandbox', `${state}; there is none for ${world.host.platform}`);
  if (missing.length === 0) return ok('sandbox', `${state}; can be had here`);
  const detail = `${state}; ${missing.join(' and ')} missing`;
  if (!wanted?.enabled) return ok('sandbox', `${detail}, so it could not be switched on`);
  const fix = `Install ${missing.join(' and ')}, or set sandbox.enabled to false.`;
  return wanted.required ? fail('sandbox', detail, fix) : warn('sandbox', detail, fix);
};

const terminal = (world: World): DoctorCheck => {
  const { host } = world;
  const { TERM, COLORTERM, NO_COLOR, TMUX } = host.env;
  const colours = NO_COLOR
    ? 'no colour (NO_COLOR)'
    : /truecolor|24bit/i.test(COLORTERM ?? '')
      ? 'all colours'
      : /256/.test(TERM ?? '')
        ? '256 colours'
        : 'sixteen colours';
  const size = host.stdout.isTTY ? `${host.stdout.columns} x ${host.stdout.rows}, ` : 'no terminal here, ';
  const detail = `${TERM ?? 'TERM is not set'}, ${size}${colours}${TMUX ? ', inside tmux' : ''}`;
  if (!host.stdout.isTTY) return ok('terminal', detail);
  if (TERM === undefined || TERM === 'dumb')
    return warn(
      'terminal',
      detail,
      'Rows cannot be drawn here: plain lines are used. Set TERM in a real terminal.',
    );
  return (host.stdout.columns ?? 80) < 40
    ? warn('terminal', detail, 'Make the terminal at least 40 columns wide.')
    : ok('terminal', detail);
};

export const programChecks = async (world: World): Promise<readonly DoctorCheck[]> => {
  const env = definedOnly(world.env());
  const path = env.PATH ?? '';
  const [git, bash, rg] = await Promise.all([
    firstLine('git', ['--version'], env),
    firstLine('bash', ['--version'], env),
    ripgrepProgram().then(async (file) => ({ file, version: await firstLine(file, ['--version'], env) })),
  ]);
  return [
    node(process.version),
    bundle(import.meta.url),
    git
      ? ok('git', git.replace(/^git version /, ''))
      : warn('git', 'not found', 'Install git: worktrees, diffs and branches need it.'),
    bash
      ? ok('bash', bash.replace(/^GNU bash, version /, ''))
      : fail('bash', 'not found', 'Install bash: commands are run by it.'),
    rg.version
      ? ok('ripgrep', `${rg.version.replace(/^ripgrep /, '')} (${rg.file})`)
      : fail('ripgrep', `${rg.file} cannot be run`, 'Run npm install again, or install ripgrep (rg).'),
    await sandbox(world, path),
    terminal(world),
  ];
};
