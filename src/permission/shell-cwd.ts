import { normalise } from './access.ts';
import type { ShellWord } from './shell-command.ts';

/** Every directory a command may run in; undefined: it cannot be known. */
export type Cwds = readonly string[] | undefined;

/** Where the shell is after a command that worked, and after one that did not. */
export interface Flow {
  readonly ok: Cwds;
  readonly fail: Cwds;
}

const cwdLimit = 8;

export const union = (a: Cwds, b: Cwds): Cwds => {
  if (!a || !b) return undefined;
  const all = [...new Set([...a, ...b])];
  return all.length > cwdLimit ? undefined : all;
};

export const sameCwds = (a: Cwds, b: Cwds): boolean =>
  a === b ||
  (a !== undefined && b !== undefined && a.length === b.length && a.every((cwd) => b.includes(cwd)));

const movers: ReadonlySet<string> = new Set(['cd', 'pushd']);
/** After these the directory may be any. */
const unsettling: ReadonlySet<string> = new Set(['popd', 'eval', 'source', '.', 'trap', 'chdir']);

/** Follows a static `cd` (and `pushd`), also behind `command` and `builtin`. */
export const cwdsAfter = (words: readonly ShellWord[], cwds: Cwds, home: string): Flow => {
  let rest = words;
  while (rest[0]?.kind === 'fixed' && ['command', 'builtin'].includes(rest[0].pattern)) rest = rest.slice(1);
  const name = rest[0];
  if (!name) return { ok: cwds, fail: cwds };
  if (name.kind !== 'fixed') return { ok: undefined, fail: undefined };
  if (unsettling.has(name.pattern) || (rest !== words && name.pattern.startsWith('-'))) {
    return { ok: undefined, fail: undefined };
  }
  if (!movers.has(name.pattern)) return { ok: cwds, fail: cwds };
  return { ok: targets(rest.slice(1), cwds, home, name.pattern), fail: cwds };
};

const targets = (args: readonly ShellWord[], cwds: Cwds, home: string, name: string): Cwds => {
  if (args.some(({ kind }) => kind !== 'fixed')) return undefined;
  const texts = args.map(({ pattern }) => pattern);
  let at = 0;
  while (/^-[PLe@]+$/.test(texts[at] ?? '')) at++;
  if (texts[at] === '--') at++;
  const target = texts[at];
  if (target === undefined) return name === 'cd' ? [home] : undefined;
  if (texts.length > at + 1 || target === '' || /^[-+]/.test(target)) return undefined;
  if (target.startsWith('/')) return [normalise(target)];
  return cwds && [...new Set(cwds.map((cwd) => normalise(`${cwd}/${target}`)))];
};
