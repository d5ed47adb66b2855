/**
 * What is protected and not there appears in the sandbox as a device, which git would list as new and refuse to add.
 * An ignore file for the command alone hides these names; it says what the person's own says too.
 */
import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularText } from '../lib/regular-file.ts';

export const ignoreGhosts = async (
  file: string,
  {
    home,
    checkout,
    names,
  }: { readonly home: string; readonly checkout: string; readonly names: readonly string[] },
): Promise<void> => {
  const ghosts = names.filter(
    (name) => lstatSync(join(checkout, name), { throwIfNoEntry: false }) === undefined,
  );
  const text = `${await ownIgnores(home)}\n${ghosts.map((name) => `/${name}\n`).join('')}`;
  // A new file, never one that somebody put there.
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
};

/** What `core.excludesFile` of the person names, or git's default for it. */
const ownIgnores = async (home: string): Promise<string> => {
  const [shared, own] = await Promise.all(
    ['.config/git/config', '.gitconfig'].map((name) => textOf(join(home, name))),
  );
  const named = [...`${shared}\n${own}`.matchAll(/^\s*excludesfile\s*=\s*"?([^"\n]+?)"?\s*$/gim)].at(-1)?.[1];
  return textOf(named ? named.replace(/^~(?=\/)/, home) : join(home, '.config/git/ignore'));
};

/** Empty for what is no file that can be read. */
const textOf = (path: string): Promise<string> => readRegularText(path).catch(() => '');

/** Shell text that adds the ignore file to whatever git is told by the environment. */
export const toldToGit = (quotedFile: string): string =>
  `n=\${GIT_CONFIG_COUNT:-0}; export "GIT_CONFIG_KEY_$n=core.excludesFile" "GIT_CONFIG_VALUE_$n="${quotedFile} GIT_CONFIG_COUNT=$((n+1)); unset n`;
