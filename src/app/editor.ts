/** The person's own editor, on a private temporary file, while the terminal is theirs. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { errorText } from '../lib/error-text.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Undefined when the editor failed. `extension` without its dot; the variable is a shell line (`code --wait`). */
export const editText = async (
  text: string,
  extension: string,
  env: Env,
  scratch: string,
): Promise<string | undefined> => {
  const dir = await mkdtemp(join(scratch, 'coppice-edit-'));
  const file = join(dir, `prompt.${extension}`);
  try {
    await writeFile(file, text, { mode: 0o600 });
    return (await runEditor(file, env)) === 0 ? (await readFile(file, 'utf8')).replace(/\n$/, '') : undefined;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};

/** Opens a file of the person's own, with its folder made; a sentence when that could not be done. */
export const editFile = async (path: string, env: Env): Promise<string | undefined> => {
  try {
    await ensureFolder(dirname(path));
    const code = await runEditor(path, env);
    return code === 0
      ? undefined
      : `The editor ended with ${code ?? 'no'} exit code. Set EDITOR to the one you use.`;
  } catch (error) {
    return `${path} cannot be edited: ${errorText(error)}`;
  }
};

const runEditor = (file: string, env: Env): Promise<number | null> =>
  new Promise((resolve) => {
    const editor = env.VISUAL || env.EDITOR || 'vi';
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'editor', file], {
      stdio: 'inherit',
      env: { ...env },
    });
    child.once('error', () => resolve(null));
    child.once('exit', resolve);
  });
