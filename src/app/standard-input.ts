import type { Host } from './host.ts';

const MOST = 10 * 1024 * 1024;

/** A program that starts us may leave our input open and never write to it. */
const SILENCE_MS = 3000;

export interface Piped {
  readonly text?: string;
  /** One sentence when nothing came and the input was left open. */
  readonly notice?: string;
}

/**
 * Piped standard input as text, at most 10 MB (conventions 10). No text when it is a terminal or nothing comes;
 * where there is a prompt already (`optional`), an input that stays open and silent is waited for 3 s only.
 */
export const pipedInput = async (host: Host, optional: boolean): Promise<Piped> => {
  if (host.stdin.isTTY) return {};
  const chunks: Buffer[] = [];
  let size = 0;
  let silent = false;
  const patience = optional
    ? setTimeout(() => {
        silent = true;
        host.stdin.destroy();
      }, SILENCE_MS)
    : undefined;
  try {
    for await (const chunk of host.stdin) {
      clearTimeout(patience);
      const bytes = Buffer.from(chunk as Uint8Array);
      size += bytes.length;
      if (size > MOST)
        throw new Error('Standard input is larger than 10 MB; give the model a file to read instead.');
      chunks.push(bytes);
    }
  } catch (error) {
    if (size > MOST) throw error;
  } finally {
    clearTimeout(patience);
  }
  if (silent)
    return {
      notice: `Nothing came on standard input for ${SILENCE_MS / 1000} s; going on without it (< /dev/null saves the wait).`,
    };
  const text = Buffer.concat(chunks).toString('utf8').trim();
  return text === '' ? {} : { text };
};
