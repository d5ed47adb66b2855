import { list } from './option-tables.ts';
import { type OptionShape, scanOptions } from './options.ts';
import type { ShellCommand, ShellWord } from './shell-command.ts';

/** Runners of packages and containers: ordinary commands to allow, but their operand is a command too. */
const runners: Readonly<
  Record<string, OptionShape & { readonly after?: readonly string[]; readonly skip?: number }>
> = {
  npx: { short: 'pc', long: ['--package', '--call'] },
  bunx: {},
  pnpx: {},
  uvx: { long: list('--from --with --python') },
  npm: { after: ['exec', 'x'], short: 'pcwC', long: list('--package --call --prefix --workspace') },
  pnpm: { after: ['exec', 'dlx'], short: 'C', long: ['--dir', '--package'] },
  yarn: { after: list('exec dlx run'), long: ['--cwd'] },
  bun: { after: ['x', 'run'] },
  uv: { after: ['run'], long: list('--with --python --project') },
  poetry: { after: ['run'] },
  pipenv: { after: ['run'] },
  pipx: { after: ['run'] },
  bundle: { after: ['exec'] },
  mise: { after: ['exec', 'x'] },
  direnv: { after: ['exec'], skip: 1 },
  docker: {
    after: ['exec', 'run'],
    skip: 1,
    short: 'uewvpm',
    long: list('--user --env --workdir --volume --name --network --entrypoint --env-file --mount --publish'),
  },
  podman: {
    after: ['exec', 'run'],
    skip: 1,
    short: 'uewvpm',
    long: list('--user --env --workdir --volume --name --network --entrypoint'),
  },
  kubectl: { after: ['exec'], skip: 1, short: 'cn', long: list('--container --namespace --context') },
};

const inner = (command: ShellCommand, words: readonly ShellWord[]): ShellCommand => ({
  ...command,
  words,
  assigns: [],
  redirects: [],
});

/** The command that a package runner or container would run, for deny and ask rules only. */
export const runnerInner = (name: string, command: ShellCommand): readonly ShellCommand[] => {
  const runner = Object.hasOwn(runners, name) ? runners[name] : undefined;
  if (!runner) return [];
  let args = command.words.slice(1);
  if (runner.after) {
    const { operands, places } = scanOptions(args, { ...runner, stopAtOperand: true });
    if (!operands[0] || !runner.after.includes(operands[0].pattern)) return [];
    args = args.slice((places[0] ?? 0) + 1);
  }
  const { places } = scanOptions(args, { ...runner, stopAtOperand: true });
  const first = places[runner.skip ?? 0];
  const words = first === undefined ? [] : args.slice(first);
  return (words[0]?.pattern === '--' ? words.slice(1) : words).length > 0
    ? [inner(command, words[0]?.pattern === '--' ? words.slice(1) : words)]
    : [];
};
