import { dirname } from 'node:path';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { readRecord, writeRecord } from '../store/record.ts';
import type { TrustFile } from '../trust/record.ts';

/** A small file of ours under the user home: 0600, replaced atomically. */
export const privateFile = (path: string): TrustFile => ({
  async read() {
    const text = await readRecord(path);
    return typeof text === 'string' ? text : undefined;
  },
  async write(text) {
    await ensureFolder(dirname(path), 0o700);
    const failed = await writeRecord(path, text);
    if (failed) throw new Error(failed.failed);
  },
});
