/** Takes what is right in a settings object and names the rest, entry by entry. */
import type * as z from 'zod';
import type { Settings } from '../contract/settings.ts';
import { distance } from '../lib/near-names.ts';
import { isKeyOfOthers, settingKeys, settingsSchema } from './schema.ts';

export interface Fault {
  readonly key: string;
  readonly found: string;
  readonly expected: string;
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Bad entries are left out one at a time until the rest is right. `raw` is parsed JSON and is not changed. */
export const checkSettings = (
  raw: unknown,
): { readonly settings: Settings; readonly faults: readonly Fault[] } => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return {
      settings: {},
      faults: [{ key: '', found: shown(raw), expected: 'an object: { "key": value, ... }' }],
    };
  }
  const value = structuredClone(raw) as { [key: string]: Json };
  const faults: Fault[] = [];
  replaceAutoMode(value, faults);
  // Every round takes at least one entry out, so that it ends.
  for (;;) {
    const result = settingsSchema.safeParse(value);
    if (result.success) return { settings: result.data, faults };
    // Later entries of a list first, so that the places of the others stay right.
    const removed = new Set<string>();
    const told = new Set(faults.map((fault) => fault.key));
    // What a removed entry leaves incomplete goes too, without a second word.
    for (const issue of [...result.error.issues].reverse())
      for (const fault of cut(value, issue, removed))
        if (fault.found !== 'nothing' || !told.has(fault.key)) faults.unshift(fault);
    if (removed.size === 0) return { settings: {}, faults };
  }
};

/** `auto` warns and means default (ruling 7). */
const replaceAutoMode = (value: { [key: string]: Json }, faults: Fault[]): void => {
  const permissions = value.permissions;
  if (
    typeof permissions !== 'object' ||
    permissions === null ||
    Array.isArray(permissions) ||
    permissions.defaultMode !== 'auto'
  )
    return;
  permissions.defaultMode = 'default';
  faults.push({
    key: 'permissions.defaultMode',
    found: '"auto"',
    expected: 'a mode that exists here; default is used',
  });
};

const cut = (value: Json, issue: z.core.$ZodIssue, removed: Set<string>): readonly Fault[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.flatMap((key) => {
      const path = [...issue.path, key];
      return remove(value, path, removed) && !(issue.path.length === 0 && isKeyOfOthers(key))
        ? [{ key: keyPath(path), found: 'an unknown key', expected: nearest(issue.path, key) }]
        : [];
    });
  }
  const found = at(value, issue.path);
  // A missing part makes the object around it useless.
  const path = found === undefined ? issue.path.slice(0, -1) : issue.path;
  const fault = {
    key: keyPath(issue.path),
    found: found === undefined ? 'nothing' : shown(found),
    expected: expectation(issue),
  };
  return remove(value, path, removed) ? [fault] : [];
};

const at = (value: Json | undefined, path: readonly PropertyKey[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
      ? inner[String(key)]
      : undefined;
  }, value);

const remove = (value: Json, path: readonly PropertyKey[], removed: Set<string>): boolean => {
  const name = keyPath(path);
  const last = path.at(-1);
  if (last === undefined || removed.has(name)) return false;
  removed.add(name);
  const parent = at(value, path.slice(0, -1));
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (typeof parent === 'object' && parent !== null) delete parent[String(last)];
  return true;
};

/** `permissions.allow[2]`. */
const keyPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  );

const MAX_SHOWN = 80;
const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  const kind = Array.isArray(value)
    ? 'a list '
    : typeof value === 'object' && value !== null
      ? 'an object '
      : '';
  return `${kind}${text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text}`;
};

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const expectation = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return `at least ${issue.minimum}`;
    case 'too_big':
      return `at most ${issue.maximum}`;
    case 'invalid_union':
      return [...new Set(issue.errors.flatMap((errors) => errors.map(expectation)))].join(', or ');
    default:
      return issue.message;
  }
};

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1
    ? JSON.stringify(values[0])
    : `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;

const nearest = (path: readonly PropertyKey[], key: string): string => {
  const known = path.length === 0 ? settingKeys : [];
  const close =
    known.find((name) => name.toLowerCase() === key.toLowerCase()) ??
    known.find((name) => distance(name.toLowerCase(), key.toLowerCase()) <= 2);
  return close === undefined ? 'a key that settings have' : `perhaps ${close}`;
};
