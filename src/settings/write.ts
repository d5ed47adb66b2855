import { link, lstat, realpath, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { errorText } from '../lib/error-text.ts';
import { readRegularText } from '../lib/regular-file.ts';
import { writeWhole } from '../lib/whole-file.ts';
import { checkSettings } from './check.ts';
import { parseJson } from './read-file.ts';

export type Written = { readonly written: string } | { readonly refused: string };

type Value = Record<string, unknown>;

/**
 * Sets one key (`permissions.defaultMode`) of a settings file, or takes it away with `undefined`. Other keys, their
 * order and the indentation stay. What is not valid, or a file that is broken already, is refused and left untouched.
 */
export const setSetting = async (file: string, key: string, value: unknown): Promise<Written> =>
  await change(file, (before) => {
    const path = key.split('.').filter((part) => part !== '');
    if (path.length === 0) return { refused: 'A key is needed, such as model or permissions.defaultMode.' };
    const after = withValue(before, path, value);
    if (after === undefined) return { refused: `${key} lies inside something that is no object in ${file}.` };
    const known = new Set(checkSettings(before).faults.map((fault) => `${fault.key} ${fault.found}`));
    const fault =
      value === undefined
        ? undefined
        : checkSettings(after).faults.find((each) => !known.has(`${each.key} ${each.found}`));
    return fault
      ? { refused: `${fault.key} is ${fault.found}, expected ${fault.expected}. Nothing was changed.` }
      : { after };
  });

export type PermissionList = 'allow' | 'ask' | 'deny' | 'additionalDirectories';

/** Adds rules to one of the lists of `permissions`; those already there are not doubled. */
export const addRules = async (
  file: string,
  behavior: PermissionList,
  rules: readonly string[],
): Promise<Written> => changeRules(file, behavior, 'add', rules);

/** Adds to one of the lists of `permissions`, takes out of it, or puts another in its place. */
export const changeRules = async (
  file: string,
  name: PermissionList,
  how: 'add' | 'replace' | 'remove',
  rules: readonly string[],
): Promise<Written> =>
  await change(file, (before) => {
    const permissions = isObject(before.permissions) ? before.permissions : {};
    const list: readonly unknown[] = Array.isArray(permissions[name]) ? permissions[name] : [];
    const after =
      how === 'remove'
        ? list.filter((rule) => typeof rule !== 'string' || !rules.includes(rule))
        : [...new Set(how === 'replace' ? rules : [...list, ...rules])];
    return { after: { ...before, permissions: { ...permissions, [name]: after } } };
  });

const change = async (
  file: string,
  edit: (before: Value) => { readonly after: Value } | { readonly refused: string },
): Promise<Written> => {
  try {
    await ensureFolder(dirname(file), 0o700);
    const target = await realpath(file).catch(() => file);
    if ((await lstat(target).catch(() => undefined))?.isSymbolicLink())
      return { refused: `${file} is a symbolic link to nothing; nothing was written.` };
    const unlock = await lock(target);
    try {
      const text = await readRegularText(target).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      const before = text === undefined || text.trim() === '' ? { value: {} } : parseJson(text);
      if ('wrong' in before)
        return {
          refused: `${file} is not valid: found ${before.wrong.found}, expected ${before.wrong.expected}. Mend it first; nothing was changed.`,
        };
      if (!isObject(before.value))
        return { refused: `${file} does not hold an object; nothing was changed.` };
      const edited = edit(before.value);
      if ('refused' in edited) return edited;
      const mode = (await stat(target).catch(() => undefined))?.mode ?? 0o600;
      await writeWhole(target, print(edited.after, text), { mode: mode & 0o777 });
      return { written: file };
    } finally {
      await unlock();
    }
  } catch (error) {
    return { refused: `Could not write ${file}: ${errorText(error)}` };
  }
};

/** Held for milliseconds; one left by a crash is too old after ten seconds. */
const lock = async (file: string): Promise<() => Promise<void>> => {
  const path = `${file}.lock`;
  const mine = `${path}.${process.pid}.${performance.now()}`;
  await writeFile(mine, String(process.pid), { flag: 'wx', mode: 0o600 });
  try {
    for (let tries = 0; ; tries++) {
      const taken = await link(mine, path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      if (taken) return async () => await unlink(path).catch(() => undefined);
      const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
      if (age > 10_000) await unlink(path).catch(() => undefined);
      if (tries > 2_000) throw new Error(`${path} is held by another process.`);
      await pause(5);
    }
  } finally {
    await unlink(mine);
  }
};

/** As the file was indented, with its line end. */
const print = (value: Value, before: string | undefined): string => {
  const indent =
    before?.match(/\n([ \t]+)"/)?.[1] ??
    (before !== undefined &&
    /^\s*\{[^\n]+\}\s*$/.test(before) &&
    !before.includes('\n ') &&
    before.trim() !== '{}'
      ? ''
      : '  ');
  const eol = before?.includes('\r\n') ? '\r\n' : '\n';
  const text = JSON.stringify(value, null, indent).replaceAll('\n', eol);
  return before === undefined || before.trim() === '' || /\n$/.test(before) ? text + eol : text;
};

const withValue = (object: Value, path: readonly string[], value: unknown): Value | undefined => {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    const { [key]: _, ...others } = object;
    if (value === undefined) return others;
    return { ...object, [key]: value };
  }
  const inner = object[key] ?? {};
  if (!isObject(inner)) return undefined;
  const changed = withValue(inner, rest, value);
  return changed === undefined ? undefined : { ...object, [key]: changed };
};

const isObject = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
