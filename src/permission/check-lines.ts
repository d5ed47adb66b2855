import * as z from 'zod';
import { modes } from '../contract/mode.ts';
import type { Judgement, PermissionWorld, Rule } from '../contract/permission.ts';
import { judge } from './judge.ts';
import { parseRules } from './rule.ts';

const texts = z.array(z.string()).optional();
const lineSchema = z.object({
  rules: z.object({ allow: texts, ask: texts, deny: texts }).nullish(),
  tool: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
  cwd: z.string().nullish(),
  home: z.string().nullish(),
  project: z.string().nullish(),
  mode: z.enum([...modes, 'normal', 'manual', 'auto']).nullish(),
});

/** What a line leaves out. */
export interface CheckDefaults {
  /** The world as it is here: effective rules, mode, places. */
  readonly world: PermissionWorld;
  /** The project root of a directory: nearest ancestor with `.git`, never the home directory or `/`. */
  projectOf(directory: string): string;
}

/**
 * `coppice permissions check` (ruling 52): one JSON object, or one per line. Each gives a line that begins with
 * the decision; nothing is executed and no hooks run.
 */
export const checkPermissions = (
  input: string,
  defaults: CheckDefaults,
): { readonly lines: readonly string[]; readonly exitCode: 0 | 1 } => {
  const texts = isObject(input) ? [input] : input.split('\n').filter((line) => line.trim() !== '');
  const answers = texts.map((text) => checkLine(text, defaults));
  return {
    lines: answers.map(({ line }) => line),
    exitCode: answers.every(({ wellFormed }) => wellFormed) ? 0 : 1,
  };
};

export const checkLine = (
  text: string,
  defaults: CheckDefaults,
): { readonly line: string; readonly wellFormed: boolean } => {
  const parsed = lineSchema.safeParse(jsonOf(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : '';
    const reason = `The line is no call that can be judged${where}: ${issue?.message ?? 'not JSON'}. Write {"tool": ..., "input": {...}}.`;
    return {
      line: `ask ${JSON.stringify({ reason, rule: null, source: null, trace: [] })}`,
      wellFormed: false,
    };
  }
  const { data } = parsed;
  return {
    line: shownJudgement(judge({ tool: data.tool, input: data.input }, worldOf(data, defaults))),
    wellFormed: true,
  };
};

const worldOf = (line: z.infer<typeof lineSchema>, { world, projectOf }: CheckDefaults): PermissionWorld => {
  const project = line.project ?? (line.cwd ? projectOf(line.cwd) : world.project);
  const cwd = line.cwd ?? line.project ?? world.cwd;
  const mode =
    line.mode === 'normal' || line.mode === 'manual' || line.mode === 'auto'
      ? 'default'
      : (line.mode ?? 'default');
  const base: PermissionWorld = { ...world, cwd, project, home: line.home ?? world.home, mode };
  if (!line.rules) return base;
  const given: readonly Rule[] = parseRules(
    { allow: line.rules.allow, ask: line.rules.ask, deny: line.rules.deny },
    { source: 'flag' },
  ).rules;
  return { ...base, rules: given, gitReadOnly: false, directories: [], sandboxedBash: false };
};

const shownJudgement = (judgement: Judgement): string => {
  const { decision, reason, rule, source, trace, by, unanalysable, suggestions } = judgement;
  return `${decision} ${JSON.stringify({ reason, rule: rule ?? null, source: source ?? null, trace, by, unanalysable, suggestions })}`;
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isObject = (text: string): boolean => {
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
};
