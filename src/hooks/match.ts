/** Which handlers an event reaches: matcher first, then `if` (conventions 1). */
import { basename } from 'node:path';
import type { HookEvent } from '../contract/hook.ts';
import { canonicalName, shortName, todoTools } from '../contract/tool-names.ts';
import { eventFacts } from './events.ts';

/** Answers whether a permission rule fits a call; of a script, any of its commands is enough. */
export type MatchIf = (
  rule: string,
  call: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> },
  at: { readonly cwd: string; readonly project: string },
) => boolean;

const EXACT = /^[A-Za-z0-9_\- ,|]*$/;
/** File names and error kinds have no comma lists; a dot or a slash in a name does not make it an expression. */
const LITERAL: Partial<Record<HookEvent, RegExp>> = {
  FileChanged: /^[A-Za-z0-9_|./\- ]*$/,
  StopFailure: /^[A-Za-z0-9_|]*$/,
};

const isAll = (matcher: string | undefined): boolean =>
  matcher === undefined || matcher.trim() === '' || matcher.trim() === '*';

const listOf = (event: HookEvent, matcher: string): readonly string[] | undefined => {
  const literal = LITERAL[event];
  if (literal) return literal.test(matcher) ? matcher.split('|').map((one) => one.trim()) : undefined;
  return EXACT.test(matcher) ? matcher.split(/[|,]/).map((one) => one.trim()) : undefined;
};

const expression = (matcher: string): RegExp | undefined => {
  try {
    return new RegExp(matcher);
  } catch {
    return undefined;
  }
};

/** A sentence when this matcher can never match because it is no regular expression. */
export const matcherFault = (event: HookEvent, matcher: string | undefined): string | undefined => {
  if (matcher === undefined || isAll(matcher) || !eventFacts[event].matches) return undefined;
  if (listOf(event, matcher) || expression(matcher)) return undefined;
  return `${JSON.stringify(matcher)} is not a valid regular expression, so it never matches. Write names joined by |, or *.`;
};

const toolMatches = (tool: string, names: readonly string[]): boolean => {
  const canonical = canonicalName(tool);
  return names.some(
    (name) =>
      name === tool ||
      (name !== '' && canonicalName(name) === canonical) ||
      (name === 'TodoWrite' && todoTools.includes(canonical)),
  );
};

export type Matcher = (payload: Readonly<Record<string, unknown>>) => boolean;
const always: Matcher = () => true;
const never: Matcher = () => false;

/**
 * Absent, empty and `*`: all. Only letters, digits, `_`, `-`, space, `,` and `|`: a name or a list of names.
 * Anything else: an unanchored regular expression. Tool names match in both spellings.
 */
export const compileMatcher = (event: HookEvent, matcher: string | undefined): Matcher => {
  const { matches, tool } = eventFacts[event];
  if (!matches || matcher === undefined || isAll(matcher)) return always;
  const names = listOf(event, matcher);
  const pattern = names ? undefined : expression(matcher);
  if (!names && !pattern) return never;
  return (payload) => {
    const value = payload[matches];
    if (typeof value !== 'string') return false;
    if (tool) {
      if (names) return toolMatches(value, names);
      return [...new Set([value, canonicalName(value), shortName(value)])].some((name) =>
        pattern?.test(name),
      );
    }
    if (event === 'FileChanged') {
      const base = basename(value);
      return names
        ? names.some(
            (name) =>
              name === base ||
              name === value ||
              (name.includes('/') && value.endsWith(`/${name.replace(/^\.\//, '')}`)),
          )
        : (pattern?.test(base) ?? false);
    }
    return names ? names.includes(value) : (pattern?.test(value) ?? false);
  };
};

/** The literal file names that FileChanged matchers ask to watch in the working directory. */
export const watchedNames = (matchers: readonly (string | undefined)[]): readonly string[] =>
  [
    ...new Set(
      matchers.flatMap((one) => (one === undefined || isAll(one) ? [] : (listOf('FileChanged', one) ?? []))),
    ),
  ].filter((name) => name !== '');
