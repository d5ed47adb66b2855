/** Pictures for the prompt: from a path that was pasted or dropped, and from the clipboard. */

import { execFile } from 'node:child_process';
import { isAbsolute, join, resolve } from 'node:path';
import type { ImagePort } from '../contract/screen.ts';
import { readRegular } from '../lib/regular-file.ts';

/** Programs that write the clipboard's picture to standard output, by desktop. */
const clipboards: readonly (readonly [string, ...string[]])[] = [
  ['wl-paste', '--no-newline', '--type', 'image/png'],
  ['xclip', '-selection', 'clipboard', '-t', 'image/png', '-o'],
  ['pngpaste', '-'],
];

const most = 64 * 1024 * 1024;

export const screenImages = (cwd: () => string, home: string | undefined): ImagePort => {
  const fitted = async (bytes: Uint8Array) => {
    const { fitImage } = await import('../media/fit-image.ts');
    return fitImage(bytes, AbortSignal.timeout(30_000));
  };
  return {
    async fromPath(path) {
      const full =
        path.startsWith('~/') && home
          ? join(home, path.slice(2))
          : isAbsolute(path)
            ? path
            : resolve(cwd(), path);
      const bytes = await readRegular(full).catch(() => undefined);
      if (!bytes) return undefined;
      const fit = await fitted(bytes);
      return 'block' in fit ? fit.block : undefined;
    },
    async fromClipboard() {
      for (const [program, ...args] of clipboards) {
        const bytes = await pictureFrom(program, args);
        if (!bytes) continue;
        const fit = await fitted(bytes);
        if ('block' in fit) return { image: fit.block };
        if ('problem' in fit) return { refused: `What is in the clipboard ${fit.problem}` };
      }
      return {
        refused: 'No picture in the clipboard, or none of wl-paste, xclip and pngpaste is there to read it.',
      };
    },
  };
};

const pictureFrom = (program: string, args: readonly string[]): Promise<Uint8Array | undefined> =>
  new Promise((done) => {
    execFile(program, args, { encoding: 'buffer', maxBuffer: most, timeout: 5000 }, (error, bytes) =>
      done(error || bytes.length === 0 ? undefined : bytes),
    );
  });
