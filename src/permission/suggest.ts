import type { Allowance, AllowLaw } from './bash-allowance.ts';
import type { Unit } from './bash-units.ts';
import { runsCode } from './interpreter-tools.ts';
import type { PathLaw } from './path-rules.ts';
import { isFixed, textOf } from './shell-command.ts';

const most = 5;
const longest = 200;

/** Tools whose first words name the action: `npm run build` may go on with other arguments. */
const subcommandDepth: Readonly<Record<string, number>> = {
  npm: 2,
  pnpm: 2,
  yarn: 2,
  bun: 2,
  cargo: 2,
  go: 2,
  git: 2,
  gh: 3,
  docker: 2,
  kubectl: 2,
  make: 2,
  dotnet: 2,
  mvn: 2,
  gradle: 2,
  terraform: 2,
  poetry: 2,
  uv: 2,
  pip: 2,
  deno: 2,
  rustup: 2,
  composer: 2,
  bundle: 2,
  mix: 2,
  swift: 2,
  flutter: 2,
};
/** Actions under which anything can run: only the whole command is proposed, or nothing. */
const open: ReadonlySet<string> = new Set([
  'run',
  'exec',
  'x',
  'dlx',
  'config',
  'push',
  'publish',
  'alias',
  'set',
  'install',
  'add',
  'i',
  'apply',
  'delete',
  'rm',
]);

/** One narrow rule per command that no rule covers, built from resolved words; none where one alone would not help. */
export const bashSuggestions = (
  answers: readonly (readonly [Unit, Allowance])[],
  law: AllowLaw,
): readonly string[] => {
  const rules = answers.map(([unit, answer]) => suggestion(unit, answer, law));
  if (rules.some((rule) => rule === undefined)) return [];
  const unique = [...new Set(rules.flatMap((rule) => rule ?? []))];
  return unique.length > most ? [] : unique;
};

const suggestion = (unit: Unit, answer: Allowance, law: AllowLaw): string | undefined => {
  if (answer.file) return fileRule(answer.file.path, answer.file.use, law.paths);
  if (answer.firm || !answer.unmatched) return exactRule(unit);
  const [inner] = unit.children;
  if (unit.facts.wrapper === 'transparent' && inner && unit.children.length === 1)
    return suggestion(inner, answer, law);
  return commandRule(unit);
};

const tame = (text: string): boolean => text.length <= longest && !/[\u0000-\u001f()]/.test(text);
const escaped = (text: string): string => text.replace(/[\\*]/g, '\\$&');

/** The whole command, for options that no pattern may cover. */
const exactRule = (unit: Unit): string | undefined => {
  const { words, cwds, assigns } = unit.command;
  const name = words[0]?.pattern ?? '';
  const whole =
    unit.facts.wrapper === undefined && !runsCode(name) && unit.facts.hazards.length > 0 && name !== 'git';
  return whole && cwds !== undefined && assigns.length === 0 && words.every(isFixed) && tame(textOf(words))
    ? `Bash(${escaped(textOf(words))})`
    : undefined;
};

const commandRule = (unit: Unit): string | undefined => {
  const { words } = unit.command;
  const name = words[0]?.pattern ?? '';
  if (unit.facts.wrapper || runsCode(name) || !words.every(isFixed) || unit.facts.code) return undefined;
  if (unit.facts.scripts || !tame(textOf(words)) || /\s/.test(name)) return undefined;
  const depth = subcommandDepth[name];
  const head = words.slice(0, depth ?? 1).map(({ pattern }) => pattern);
  const plain =
    depth !== undefined &&
    head.length === depth &&
    head.slice(1).every((text) => /^[a-z][\w:-]*$/i.test(text) && !open.has(text));
  if (plain) return `Bash(${head.join(' ')} *)`;
  const script =
    /^(npm|pnpm|yarn|bun)$/.test(name) &&
    words[1]?.pattern === 'run' &&
    /^[\w:.-]+$/.test(words[2]?.pattern ?? '');
  if (script)
    return `Bash(${words
      .slice(0, 3)
      .map(({ pattern }) => pattern)
      .join(' ')} *)`;
  if (name === 'git' && words.length < 2) return undefined;
  return `Bash(${escaped(textOf(words))})`;
};

/** A rule for one file, or for the folder of a file that is only read. */
export const fileRule = (path: string, use: 'read' | 'write', law: PathLaw): string | undefined => {
  if (/[*?[\]()\\]/.test(path)) return undefined;
  const tool = use === 'read' ? 'Read' : 'Edit';
  const { project, home } = law.world;
  if (path.startsWith(`${project}/`)) return `${tool}(./${path.slice(project.length + 1)})`;
  if (path.startsWith(`${home}/`)) return `${tool}(~/${path.slice(home.length + 1)})`;
  return path === '/' || path === home ? undefined : `${tool}(/${path})`;
};
