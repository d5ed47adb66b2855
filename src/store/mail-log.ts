/** One mailbox file as it is read: lines counted as they stand, so that a place means the same after any damage. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import * as z from 'zod';
import type { Mail } from '../contract/store.ts';
import { NO_WAIT, regularOnly } from '../lib/regular-file.ts';
import { errorCode } from './failure.ts';

/** So many bytes before the place reached tell a file from another one that got its inode. */
const TAIL = 64;
const START = '{"mail":';
const LF = 10;

const letter = z.object({
  mail: z.looseObject({
    id: z.string(),
    text: z.string(),
    origin: z.looseObject({ kind: z.string() }),
    images: z.array(z.looseObject({ type: z.literal('image') })).optional(),
    display: z.string().optional(),
    at: z.string(),
  }),
});
const withdrawal = z.object({ withdrawn: z.array(z.string()) });

export const mailLine = (mail: Omit<Mail, 'place' | 'withdrawn'>): string => `${JSON.stringify({ mail })}\n`;
export const withdrawalLine = (ids: readonly string[]): string => `${JSON.stringify({ withdrawn: ids })}\n`;

export interface MailLog {
  /** Reads what was added; answers all mail after a place. Mail at or before it is forgotten until asked for again. */
  after(place: number): readonly Mail[];
  /** Lines after the place last asked for that nobody can read. */
  damaged(): readonly number[];
  /** The place of one letter, if it is in the file. */
  placeOf(id: string): number | undefined;
  /** Number of the last whole line. */
  last(): number;
}

/** Reads on from where it stopped. A file that is not there is an empty one; other errors are thrown. */
export const mailLog = (path: string): MailLog => {
  let offset = 0;
  let lines = 0;
  let floor = 0;
  let inode = -1n;
  let tail: Buffer = Buffer.alloc(0);
  let mails: Mail[] = [];
  let damaged: number[] = [];
  let withdrawn = new Set<string>();

  const restart = (): void => {
    offset = 0;
    lines = 0;
    tail = Buffer.alloc(0);
    mails = [];
    damaged = [];
    withdrawn = new Set();
  };

  const take = (text: string): void => {
    lines++;
    // Who saw another's line half written began a fresh one.
    if (text === '') return;
    const found = parsed(text);
    if (found === undefined) {
      if (lines > floor) damaged.push(lines);
      return;
    }
    if (found.mail === undefined) for (const id of found.withdrawn) withdrawn.add(id);
    else if (lines > floor) mails.push({ ...found.mail, place: lines });
  };

  const refresh = (): void => {
    let fd: number;
    try {
      fd = openSync(path, NO_WAIT);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      restart();
      return;
    }
    try {
      const facts = fstatSync(fd, { bigint: true });
      regularOnly(path, facts);
      const { size, ino } = facts;
      if (ino !== inode || Number(size) < offset || !bytesBefore(fd, offset).equals(tail)) restart();
      inode = ino;
      const added = Number(size) - offset;
      if (added <= 0) return;
      const bytes = Buffer.allocUnsafe(added);
      const got = readSync(fd, bytes, 0, added, offset);
      let at = 0;
      for (let end = bytes.indexOf(LF); end !== -1 && end < got; end = bytes.indexOf(LF, at)) {
        take(bytes.toString('utf8', at, end));
        at = end + 1;
      }
      offset += at;
      if (at > 0) tail = bytesBefore(fd, offset);
    } finally {
      closeSync(fd);
    }
  };

  return {
    after: (place) => {
      if (place < floor) restart();
      floor = Math.floor(place);
      refresh();
      mails = mails.filter((mail) => mail.place > place);
      return mails.filter((mail) => !withdrawn.has(mail.id));
    },
    damaged: () => damaged.filter((line) => line > floor),
    placeOf: (id) => {
      refresh();
      return mails.findLast((mail) => mail.id === id)?.place;
    },
    last: () => {
      refresh();
      return lines;
    },
  };
};

const bytesBefore = (fd: number, offset: number): Buffer => {
  const bytes = Buffer.alloc(Math.min(TAIL, offset));
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, offset - bytes.length));
};

type Parsed =
  | { readonly mail: Omit<Mail, 'place'> }
  | { readonly mail?: undefined; readonly withdrawn: readonly string[] };

/** A whole letter glued to somebody's torn line is still found. */
const parsed = (text: string): Parsed | undefined => {
  const found = json(text) ?? json(text.slice(Math.max(0, text.lastIndexOf(START))));
  const mail = letter.safeParse(found);
  // The shape is checked; origin and images are as a writer of ours made them.
  if (mail.success) return { mail: mail.data.mail as unknown as Omit<Mail, 'place'> };
  const taken = withdrawal.safeParse(found);
  return taken.success ? taken.data : undefined;
};

const json = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
