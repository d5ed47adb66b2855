import type * as z from 'zod';

const SHOWN_CHARS = 60;

/** Sentences that name each parameter, what was found and what is expected. */
export const complaint = (tool: string, issues: readonly z.core.$ZodIssue[], input: unknown): string => {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return `The input of ${tool} must be a JSON object, but is ${shown(input)}.`;
  const sentences = [...new Set(issues.map((issue) => sentence(tool, issue, input)))];
  const unused = issues.some((issue) => at(input, issue.path) === undefined) ? sent(input) : '';
  return `${sentences.join(' ')}${unused}`;
};

const sentence = (tool: string, issue: z.core.$ZodIssue, input: unknown): string => {
  const name = issue.path.length === 0 ? 'The input' : `"${issue.path.map(String).join('.')}"`;
  const value = at(input, issue.path);
  if (value === undefined && issue.code === 'invalid_type')
    return `${tool} needs ${name}: ${article(issue.expected)}.`;
  return `${name} of ${tool} must be ${expected(issue)}, but is ${shown(value)}.`;
};

const expected = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return article(issue.expected);
    case 'invalid_value':
      return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return bound(issue.origin, issue.minimum, 'at least');
    case 'too_big':
      return bound(issue.origin, issue.maximum, 'at most');
    default:
      return `as described (${issue.message})`;
  }
};

const bound = (origin: string, limit: number | bigint, word: string): string => {
  if (origin === 'string' && limit === 1) return 'a text that is not empty';
  if (origin === 'string') return `a text of ${word} ${limit} characters`;
  if (origin === 'array') return `a list of ${word} ${limit} ${limit === 1 ? 'item' : 'items'}`;
  return `${word} ${limit}`;
};

const article = (type: string): string => {
  switch (type) {
    case 'int':
      return 'a whole number';
    case 'array':
      return 'a list';
    case 'object':
    case 'record':
      return 'an object';
    default:
      return `a ${type}`;
  }
};

const shown = (value: unknown): string => {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
};

const sent = (input: object): string => {
  const names = Object.keys(input);
  return names.length === 0 ? ' The input was empty.' : ` The input had: ${names.join(', ')}.`;
};

const at = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
