/** The person's own editor, on a private temporary file, while the terminal is theirs. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** Undefined when they left without saving or the editor failed. The variable is a shell line (`code --wait`). */
export const editText = async (
  text: string,
  extension: string,
  env: Env,
  scratch: string,
): Promise<string | undefined> => {
  const editor = env.VISUAL || env.EDITOR || 'vi';
  const dir = await mkdtemp(join(scratch, 'coppice-edit-'));
  const file = join(dir, `prompt${extension}`);
  try {
    await writeFile(file, text, { mode: 0o600 });
    const code = await new Promise<number | null>((resolve) => {
      const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'editor', file], {
        stdio: 'inherit',
        env: { ...env },
      });
      child.once('error', () => resolve(null));
      child.once('exit', resolve);
    });
    return code === 0 ? (await readFile(file, 'utf8')).replace(/\n$/, '') : undefined;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
};
