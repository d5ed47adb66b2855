import type { Behavior, Rule, RuleProblem, RuleSet, RuleSource } from '../contract/permission.ts';
import { builtinToolNames, canonicalName, isBuiltinTool } from '../contract/tool-names.ts';
import { fromStars, matches } from './wildcard.ts';

/** Where a rule comes from. */
export interface RuleOrigin {
  readonly source: RuleSource;
  readonly file?: string;
  /** Directory that a leading `/` in path patterns means. */
  readonly anchor?: string;
}

export type RuleReading = { readonly rule?: Rule; readonly problem?: RuleProblem };

/**
 * Reads `Tool` or `Tool(spec)`. Never throws. A rule may come with a problem: unknown tools in deny and ask
 * rules are kept and reported; an allow rule that would be wider than its author can have meant is dropped.
 */
export const parseRule = (text: string, behavior: Behavior, origin: RuleOrigin): RuleReading => {
  const trouble = (problem: string): RuleProblem => ({
    text,
    behavior,
    source: origin.source,
    file: origin.file,
    problem,
  });
  const shape = /^([^()\s]+)\s*(?:\(([\s\S]*)\))?$/.exec(text.trim());
  const name = shape?.[1];
  if (name === undefined) {
    return {
      problem: trouble(`"${text}" is not a rule. Write Tool or Tool(pattern), for example Bash(npm test *).`),
    };
  }
  const spec = shape?.[2]?.trim();
  if (spec === '')
    return {
      problem: trouble(`"${text}" has empty brackets. Leave them out to mean every call of ${name}.`),
    };
  const tool = canonicalName(name);
  const rule: Rule = {
    behavior,
    text,
    tool,
    ...(spec !== undefined && spec !== '*' ? { spec } : {}),
    source: origin.source,
    file: origin.file,
    anchor: origin.anchor,
  };
  if (behavior === 'allow' && tool.includes('*') && !/^mcp__[^*]+?__/.test(tool)) {
    return {
      problem: trouble(
        `"${text}" would allow tools that are not named. In allow rules a * may only follow mcp__<server>__.`,
      ),
    };
  }
  if (spec?.startsWith('!') && tool !== 'Bash') {
    return {
      problem: trouble(
        `"${text}": patterns that begin with ! are not supported. Write a rule for what is meant.`,
      ),
    };
  }
  const known = isBuiltinTool(name) || tool.startsWith('mcp__') || matchesSomeTool(tool);
  return known
    ? { rule }
    : { rule, problem: trouble(`"${text}" names a tool that does not exist here: ${name}.`) };
};

const matchesSomeTool = (tool: string): boolean =>
  tool.includes('*') &&
  (tool.startsWith('mcp') || builtinToolNames.some((name) => matches(fromStars(tool), name)));

/** Lists of rule texts by behaviour, as settings files hold them. */
export interface RuleTexts {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export const parseRules = (
  texts: RuleTexts,
  origin: RuleOrigin,
): { readonly rules: readonly Rule[]; readonly problems: readonly RuleProblem[] } => {
  const readings = (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    (texts[behavior] ?? []).map((text) => parseRule(text, behavior, origin)),
  );
  return {
    rules: readings.flatMap(({ rule }) => (rule ? [rule] : [])),
    problems: readings.flatMap(({ problem }) => (problem ? [problem] : [])),
  };
};

/** True when the rule speaks about this tool at all (canonical names; the spec is not looked at). */
export const namesTool = (rule: Rule, tool: string): boolean => {
  if (rule.tool === tool) return true;
  if (rule.tool.includes('*')) return matches(fromStars(rule.tool), tool);
  // A server's bare name means all its tools; the name is compared whole.
  return /^mcp__(?!.*__).+$/.test(rule.tool) && tool.startsWith(`${rule.tool}__`);
};

/** Rules that decide about writing a file: both spellings cover every write (ruling 6). */
export const namesWrite = (rule: Rule): boolean =>
  ['Edit', 'Write', 'NotebookEdit'].some((tool) => namesTool(rule, tool));

export const namesRead = (rule: Rule): boolean => namesTool(rule, 'Read');

/** The rules that are looked at for a call of a tool; commands are also judged by what files they touch. */
export const rulesAbout = (tool: string, rules: RuleSet): RuleSet =>
  rules.filter(
    (rule) =>
      namesTool(rule, tool) ||
      (['Bash', 'Edit', 'Write', 'NotebookEdit'].includes(tool) && namesWrite(rule)) ||
      (['Bash', 'Glob', 'Grep'].includes(tool) && namesRead(rule)),
  );

/** `project settings (/repo/.coppice/settings.json)` */
export const originOf = (rule: Rule): string => (rule.file ? `${rule.source} (${rule.file})` : rule.source);
