/** What slash commands reach of disk and terminal. */
import { realpath, stat, writeFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { SessionState } from '../contract/state.ts';
import { errorText } from '../lib/error-text.ts';
import { askProgram } from '../shell/ask-program.ts';
import { definedOnly } from './variables.ts';

/** Never overwrites. */
export const saveExport = async (name: string | undefined, markdown: string, cwd: string) => {
  const path = resolve(
    cwd,
    name ?? `conversation-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.md`,
  );
  try {
    await writeFile(path, markdown, { flag: 'wx' });
    return { path };
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    return {
      refused: exists
        ? `${path} exists already; name another file.`
        : `${path} could not be written: ${errorText(error)}`,
    };
  }
};

export const findDirectory = async (text: string, cwd: string, home: string | undefined) => {
  const path =
    text.startsWith('~') && home ? join(home, text.slice(1)) : isAbsolute(text) ? text : resolve(cwd, text);
  const found = await stat(path).catch(() => undefined);
  if (!found) return { refused: `${path} does not exist.` };
  return found.isDirectory() ? { path: await realpath(path) } : { refused: `${path} is not a directory.` };
};

/**
 * OSC 52 through the terminal; over ssh it may be ignored, and nobody can know. tmux ignores it from programs unless it
 * was told otherwise, so it is asked itself: it keeps the text and hands it on to the terminal.
 */
export const clipboard =
  (write: (bytes: string) => void, env: Readonly<Record<string, string | undefined>>) =>
  async (text: string) => {
    if (env.TMUX) {
      const taken = await askProgram({
        command: 'tmux load-buffer -w -',
        cwd: '/',
        env: definedOnly({ PATH: env.PATH, TMUX: env.TMUX, TMPDIR: env.TMPDIR }),
        input: text,
        timeoutMs: 3000,
      });
      if ('output' in taken)
        return `Copied ${text.length} characters: into tmux (prefix ] pastes them) and to the terminal's clipboard, where tmux may set it.`;
    }
    const sequence = `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`;
    write(env.TMUX ? `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\` : sequence);
    return `Sent ${text.length} characters to the terminal's clipboard. Some terminals ignore this; if nothing arrives, use /export.`;
  };

/** True where no new working directory is needed. */
export const isWorkingDirectory = (path: string, state: SessionState): boolean =>
  [state.project, state.checkout, ...state.directories].some(
    (folder) => path === folder || path.startsWith(`${folder}/`),
  );
