import { type CommandFacts, noFacts, scriptText } from './command-facts.ts';
import { list } from './option-tables.ts';
import { type OptionShape, scanOptions } from './options.ts';
import { type ShellCommand, type ShellWord, unknown } from './shell-command.ts';
import { harmlessVariable } from './shell-variables.ts';

/** A command whose operands are another command. */
interface Wrapper extends OptionShape {
  /** Operands before the command (`timeout 5 cmd`). */
  readonly skip?: number;
  /** transparent: as good as what it runs. guard: asks whatever it runs. */
  readonly as: 'transparent' | 'guard';
  /** Options that make even a transparent one ask. */
  readonly danger?: readonly string[];
  /** Options whose value is shell text. */
  readonly script?: readonly string[];
  /** Operands are joined into shell text (`watch`, `ssh host`). */
  readonly joins?: boolean;
  /** Words from elsewhere are appended (`xargs`). */
  readonly appends?: boolean;
}

const guard = (shape: Omit<Wrapper, 'as'> = {}): Wrapper => ({ stopAtOperand: true, ...shape, as: 'guard' });
const clear = (shape: Omit<Wrapper, 'as'> = {}): Wrapper => ({
  stopAtOperand: true,
  ...shape,
  as: 'transparent',
});

const wrappers: Readonly<Record<string, Wrapper>> = {
  timeout: clear({ short: 'ks', long: ['--kill-after', '--signal'], skip: 1 }),
  time: clear({ short: 'fo', long: ['--format', '--output'], danger: list('-o --output -a --append') }),
  nice: clear({ short: 'n', long: ['--adjustment'] }),
  nohup: clear(),
  stdbuf: clear({ short: 'ioe', long: list('--input --output --error') }),
  command: clear({ danger: ['-p'] }),
  builtin: clear(),
  noglob: clear(),
  exec: guard({ short: 'a' }),
  xargs: {
    stopAtOperand: true,
    short: 'adEIJLnPsR',
    long: list('--arg-file --delimiter --max-lines --max-args --max-procs --max-chars --process-slot-var'),
    as: 'transparent',
    appends: true,
    danger: ['--process-slot-var'],
  },
  setsid: guard(),
  ionice: guard({ short: 'cnpPu', long: ['--class', '--classdata'] }),
  chrt: guard({ short: 'TPD', skip: 1 }),
  taskset: guard({ skip: 1 }),
  setarch: guard({ skip: 1 }),
  linux64: guard(),
  linux32: guard(),
  flock: guard({
    short: 'wEc',
    long: list('--wait --timeout --conflict-exit-code --command'),
    script: ['-c', '--command'],
    skip: 1,
  }),
  watch: guard({ short: 'nqs', long: list('--interval --equexit --shotsdir'), joins: true }),
  script: guard({
    short: 'cEIOBTmo',
    long: list('--command --echo --log-in --log-out --log-io --log-timing --logging-format --output-limit'),
    script: ['-c', '--command'],
    skip: 99,
  }),
  sudo: guard({
    short: 'ugpCThrtDRU',
    long: list(
      '--user --group --prompt --close-from --command-timeout --host --role --type --chdir --chroot',
    ),
  }),
  doas: guard({ short: 'uC' }),
  su: guard({
    stopAtOperand: false,
    short: 'cgGsw',
    long: list('--command --group --shell --session-command'),
    script: list('-c --command --session-command'),
    skip: 99,
  }),
  runuser: guard({ short: 'cugGsw', long: list('--command --user --shell'), script: ['-c', '--command'] }),
  pkexec: guard({ long: ['--user'] }),
  chroot: guard({ long: ['--userspec', '--groups'], skip: 1 }),
  unshare: guard({ short: 'SGRw', long: list('--setuid --setgid --root --wd') }),
  nsenter: guard({ short: 'tSGrw', long: list('--target --setuid --setgid') }),
  setpriv: guard({ long: list('--reuid --regid --groups --inh-caps --bounding-set') }),
  capsh: guard({ skip: 99 }),
  bwrap: guard({ skip: 99 }),
  firejail: guard(),
  proot: guard({ short: 'rbqw' }),
  fakeroot: guard({ short: 'lsib' }),
  faketime: guard({ skip: 1 }),
  strace: guard({ short: 'abeEIoOpPsSuUX' }),
  ltrace: guard({ short: 'aAeFlnopsSuwxX' }),
  gdb: guard({ skip: 99 }),
  valgrind: guard(),
  perf: guard({ skip: 1 }),
  'systemd-run': guard({
    short: 'pEuGMH',
    long: list('--property --setenv --unit --slice --working-directory --uid --gid'),
  }),
  'systemd-inhibit': guard(),
  screen: guard({ short: 'cehpsSTtX' }),
  tmux: guard({ short: 'cfLS', skip: 1, joins: true }),
  dtach: guard({ skip: 99 }),
  expect: guard({ short: 'c', skip: 99 }),
  unbuffer: guard(),
  rlwrap: guard(),
  parallel: guard({
    short: 'jSaINnLP',
    long: list('--jobs --sshlogin --arg-file --colsep --delay --joblog --results --timeout --workdir'),
    joins: true,
  }),
  entr: guard(),
  watchexec: guard({ short: 'wefidsSr', joins: true }),
  nodemon: guard({ short: 'wex', long: list('--exec --watch --ext'), script: ['-x', '--exec'], skip: 99 }),
  concurrently: guard({ joins: true }),
  hyperfine: guard({ short: 'wmMrpcsSnN', joins: true }),
  at: guard({ skip: 99 }),
  batch: guard({ skip: 99 }),
  crontab: guard({ skip: 99 }),
  ssh: guard({ short: 'bcDEeFIiJLlmOopQRSWw', skip: 1, joins: true }),
  mosh: guard({ skip: 1, joins: true }),
  scp: guard({ skip: 99 }),
  sftp: guard({ skip: 99 }),
  socat: guard({ skip: 99 }),
  nc: guard({ short: 'ec', script: ['-e', '-c'], skip: 99 }),
  ncat: guard({ short: 'ec', script: ['-e', '-c'], skip: 99 }),
  telnet: guard({ skip: 99 }),
  busybox: guard(),
  toybox: guard(),
  vim: guard({ skip: 99 }),
  vi: guard({ skip: 99 }),
  nvim: guard({ skip: 99 }),
  view: guard({ skip: 99 }),
  vimdiff: guard({ skip: 99 }),
  ex: guard({ skip: 99 }),
  ed: guard({ skip: 99 }),
  emacs: guard({ skip: 99 }),
  emacsclient: guard({ skip: 99 }),
  nano: guard({ skip: 99 }),
  pico: guard({ skip: 99 }),
  fzf: guard({ skip: 99 }),
  fd: guard({ skip: 99 }),
  fdfind: guard({ skip: 99 }),
};

const inner = (command: ShellCommand, words: readonly ShellWord[]): ShellCommand => ({
  ...command,
  words,
  assigns: [],
  redirects: [],
});

/** sudo sets variables like a shell does, and takes further options behind them. */
const afterVariables = (words: readonly ShellWord[], shape: OptionShape): readonly ShellWord[] => {
  let left = words;
  for (;;) {
    const first = left.findIndex(({ pattern }) => !/^[^/=-][^=]*=/.test(pattern));
    left = first < 0 ? [] : left.slice(first);
    if (!left[0]?.pattern.startsWith('-')) return left;
    const [next = left.length] = scanOptions(left, shape).places;
    left = left.slice(next);
  }
};

/** Facts of a command that runs its operands; undefined if the name is none. */
export const wrapperFacts = (name: string, command: ShellCommand): CommandFacts | undefined => {
  if (name === 'env') return envFacts(command);
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (!wrapper) return undefined;
  const args = command.words.slice(1);
  if (name === 'command' && /^-[vV]+$/.test(args[0]?.pattern ?? '')) return { ...noFacts, readOnly: true };
  if (name === 'nice') return wrapped(command, afterNice(args), wrapper, []);
  const { options, operands, places } = scanOptions(args, wrapper);
  const first = places[wrapper.skip ?? 0];
  const rest = first === undefined ? [] : args.slice(first);
  const words = name === 'sudo' ? afterVariables(rest, wrapper) : rest;
  const hazards = options.flatMap((option) =>
    wrapper.danger?.includes(option.name) ? [`${name} ${option.name}`] : [],
  );
  const scripts = options.flatMap((option) =>
    wrapper.script?.includes(option.name) ? [scriptText([option.value])] : [],
  );
  if (wrapper.appends)
    return {
      ...appended(
        command,
        words,
        options.map(({ name: option, value }) => ({ option, value })),
      ),
      hazards,
    };
  const joined = wrapper.joins && words.length > 0 ? [scriptText(words)] : [];
  const late = wrapper.script?.includes(words[0]?.pattern ?? '') ? [scriptText([words[1]])] : [];
  const facts = wrapped(command, words, wrapper, hazards);
  // Editors and copiers run nothing of their operands: those are files.
  const reads = wrapper.skip === 99 ? operands.map((word) => ({ word })) : [];
  return { ...facts, reads, scripts: [...scripts, ...joined, ...late] };
};

const wrapped = (
  command: ShellCommand,
  words: readonly ShellWord[],
  wrapper: Wrapper,
  hazards: readonly string[],
): CommandFacts => ({
  ...noFacts,
  hazards,
  wrapper: wrapper.as,
  runs: words.length > 0 ? [inner(command, words)] : [],
});

const afterNice = (args: readonly ShellWord[]): readonly ShellWord[] => {
  const old = /^-\d+$/.test(args[0]?.pattern ?? '') ? args.slice(1) : args;
  const first = scanOptions(old, wrappers.nice ?? {}).places[0];
  return first === undefined ? [] : old.slice(first);
};

/** xargs: words that are not known before it runs are put behind, or in place of the mark. */
const appended = (
  command: ShellCommand,
  words: readonly ShellWord[],
  options: readonly { readonly option: string; readonly value?: ShellWord }[],
): CommandFacts => {
  const mark =
    options.find(({ option }) => option === '-I' || option === '-J')?.value?.pattern ??
    (options.some(({ option }) => option === '-i' || option.startsWith('--replace')) ? '{}' : undefined);
  const placed = words.map(
    (word): ShellWord =>
      mark && word.pattern.includes(mark)
        ? { ...word, kind: 'dynamic', pattern: word.pattern.replaceAll(mark, unknown('').pattern) }
        : word,
  );
  const whole = mark
    ? placed
    : [
        ...(words.length > 0 ? words : [{ ...unknown('echo'), pattern: 'echo', kind: 'fixed' as const }]),
        unknown('...'),
      ];
  const files = options
    .filter(({ option }) => option === '-a' || option === '--arg-file')
    .flatMap(({ value }) => (value ? [{ word: value }] : []));
  return {
    ...noFacts,
    reads: files,
    wrapper: 'transparent',
    runs: [{ ...inner(command, whole), stdin: { from: 'nothing' } }],
  };
};

const envFacts = (command: ShellCommand): CommandFacts => {
  const args = command.words.slice(1);
  const hazards: string[] = [];
  let at = 0;
  for (; at < args.length; at++) {
    const word = args[at];
    const text = word?.pattern ?? '';
    if (!word || text === '--') {
      at++;
      break;
    }
    const split = /^(?:-[i0v]*S|--split-string=?)([\s\S]*)$/.exec(text);
    if (split) {
      hazards.push('env -S splits text into a command');
      const rest = split[1] ? [{ ...word, pattern: split[1] }, ...args.slice(at + 1)] : args.slice(at + 1);
      return { ...noFacts, hazards, scripts: [scriptText(rest)], wrapper: 'guard' };
    }
    const assignment = /^([A-Za-z_]\w*)=/.exec(text);
    if (assignment) {
      if (!harmlessVariable(assignment[1] ?? '') || word.kind !== 'fixed')
        hazards.push(`env sets ${assignment[1]}`);
    } else if (text.startsWith('-') || text.includes('=')) {
      hazards.push(`env ${text}`);
      if (/^(-u|-C|--unset|--chdir)$/.test(text)) at++;
    } else break;
  }
  const words = args.slice(at);
  if (words.length === 0) return { ...noFacts, hazards: [...hazards, 'env prints every variable'] };
  return { ...noFacts, hazards, wrapper: 'transparent', runs: [inner(command, words)] };
};
