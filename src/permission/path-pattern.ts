import type { Rule } from '../contract/permission.ts';
import type { Access } from './access.ts';
import { normalise } from './access.ts';
import { ANY, meets, ONE, STAR } from './wildcard.ts';

/** The directories that path patterns hang on. */
export interface Anchors {
  readonly project: string;
  readonly home: string;
}

/**
 * The absolute patterns that one path rule stands for, gitignore-like: `//abs`, `~/home`, `/x` from the place
 * of the settings file, `x/y` and `./x` from the project root, a bare name at any depth. A pattern also covers
 * everything below what it names. Worktrees below the project are anchors of their own.
 */
const pathPatterns = (rule: Rule, anchors: Anchors): readonly string[] => {
  const spec = (rule.spec ?? '**').trim();
  const brackets = rule.behavior !== 'allow';
  const rooted = (base: string, rest: string) => spread(base, rest, brackets);
  if (spec.startsWith('//')) return rooted('', spec.slice(2));
  if (spec === '~' || spec.startsWith('~/')) return rooted(anchors.home, spec.slice(2));
  if (spec.startsWith('/')) return rooted(rule.anchor ?? anchors.project, spec.slice(1));
  const relative = spec.replace(/^(\.\/)+/, '');
  const bare = relative === spec && !relative.replace(/\/$/, '').includes('/');
  const bases = [anchors.project, ...worktreeBases(anchors.project)];
  const rest = bare && relative !== '**' ? `**/${relative}` : relative;
  return bases.flatMap((base) => rooted(base, rest));
};

const worktreeBases = (project: string): readonly string[] =>
  ['.coppice', '.claude'].map((home) => `${project === '/' ? '' : project}/${home}/worktrees/${STAR}`);

const spread = (base: string, rest: string, brackets: boolean): readonly string[] => {
  const trimmed = rest.replace(/\/+$/, '');
  const start = base === '/' ? '' : base;
  const whole = trimmed === '' || trimmed === '.' ? start : `${start}/${trimmed}`;
  const patterns = withoutDoubleStars(dotless(whole)).flatMap((text) => [
    toPattern(text),
    // Brackets are part of many folder names; where a rule forbids or asks they may be a class as well.
    ...(brackets && text.includes('[') ? [toPattern(text.replace(/\[[^\]/]*\]/g, '?'))] : []),
  ]);
  return patterns.flatMap((pattern) => (pattern.endsWith(ANY) ? [pattern] : [pattern, `${pattern}/${ANY}`]));
};

const dotless = (path: string): string =>
  /(^|\/)\.\.?(\/|$)/.test(path) ? normalise(path.startsWith('/') ? path : `/${path}`) : path;

/** A double star between slashes may stand for nothing: each such part also counts as absent. */
const withoutDoubleStars = (path: string): readonly string[] => {
  const at = path.indexOf('/**/');
  if (at < 0) return [path];
  return withoutDoubleStars(path.slice(at + 3)).flatMap((tail) => [
    path.slice(0, at) + tail,
    `${path.slice(0, at)}/${ANY}${tail}`,
  ]);
};

const wildcards: Readonly<Record<string, string>> = { '**': ANY, '*': STAR, '?': ONE };

/** A backslash keeps the next character plain, as in `.gitignore`. */
const toPattern = (path: string): string =>
  path.replace(
    /\\([\s\S])|\*\*|[*?]/g,
    (text, plain: string | undefined) => plain ?? wildcards[text] ?? text,
  );

/** How a rule meets a path that is fully known. Deny and ask need one side, allow needs both. */
export const pathMatches = (rule: Rule, access: Access, anchors: Anchors): boolean => {
  if (rule.spec === undefined) return true;
  const patterns = pathPatterns(rule, anchors);
  const hit = (path: string) => patterns.some((pattern) => meets(pattern, path));
  return rule.behavior === 'allow'
    ? hit(access.lexical) && hit(access.real)
    : hit(access.lexical) || hit(access.real);
};

/** True when some path that fits `glob` (wildcard alphabet, absolute) fits the rule. */
export const mayMatchPath = (rule: Rule, glob: string, anchors: Anchors): boolean =>
  rule.spec === undefined || pathPatterns(rule, anchors).some((pattern) => meets(pattern, glob));
