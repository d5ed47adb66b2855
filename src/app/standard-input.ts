import type { Host } from './host.ts';

const MOST = 10 * 1024 * 1024;

/** Piped standard input as text, at most 10 MB (conventions 10); undefined when it is a terminal or nothing comes. */
export const pipedInput = async (host: Host): Promise<string | undefined> => {
  if (host.stdin.isTTY) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of host.stdin) {
      const bytes = Buffer.from(chunk as Uint8Array);
      size += bytes.length;
      if (size > MOST)
        throw new Error('Standard input is larger than 10 MB; give the model a file to read instead.');
      chunks.push(bytes);
    }
  } catch (error) {
    if (size > MOST) throw error;
    return undefined;
  }
  const text = Buffer.concat(chunks).toString('utf8').trim();
  return text === '' ? undefined : text;
};
