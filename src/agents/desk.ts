/** The desk of a team: one append-only log that all its processes write and read, apart from anybody's mail. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailbox } from '../contract/store.ts';
import type { ProcessStamp } from '../contract/team.ts';
import { errorText } from '../lib/error-text.ts';
import { type DeskNote, type Heard, readNote } from './desk-notes.ts';

export interface Desk {
  /** Hears all that was posted so far, then what others post. A desk opened for another team leaves this one. */
  open(team: string, hear: (notes: readonly Heard[]) => Promise<void>): Promise<void>;
  /** In order, on disk before it resolves. Does nothing before `open`. */
  post(note: DeskNote): Promise<void>;
  /** Resolves when everything that others had posted by now was heard; what could not be read is told as trouble and tried again by the next one. */
  catchUp(): Promise<void>;
  close(): void;
}

export interface DeskDeps {
  readonly mailbox: Mailbox;
  readonly stamp: Pick<ProcessStamp, 'pid' | 'start'>;
  newId(): string;
  /** Hears why something could not be posted or read. */
  trouble(text: string): void;
}

/** How long after it could not be read it is tried again. */
const AGAIN_MS = 1000;

/** Where the desk of a team lies: a box of the `Mailbox` port that no message can be addressed to. */
export const deskOf = (team: string): string => `teams/${team}/desk`;

export const createDesk = ({ mailbox, stamp, newId, trouble }: DeskDeps): Desk => {
  const run = newId();
  let at:
    | { readonly box: string; place: number; hear: Parameters<Desk['open']>[1]; closing: AbortController }
    | undefined;
  let reading: Promise<boolean> = Promise.resolve(true);
  /** Whether it was said that reading fails. */
  let told = false;

  const readOn = async (): Promise<void> => {
    const here = at;
    if (!here) return;
    const mails = await mailbox.read(here.box, here.place);
    if (mails.length === 0 || here !== at) return;
    here.place = mails.at(-1)?.place ?? here.place;
    const notes = mails.flatMap(({ text, place }) => {
      const posted = readNote(text);
      return posted && posted.run !== run ? [{ ...posted, place }] : [];
    });
    if (notes.length > 0) await here.hear(notes);
  };
  /** Answers whether it could be read; one failure is no reason never to read again. */
  const readNext = (): Promise<boolean> => {
    reading = reading.then(readOn).then(
      () => {
        told = false;
        return true;
      },
      (error: unknown) => {
        if (!told) trouble(`What others said was not read: ${errorText(error)}`);
        told = true;
        return false;
      },
    );
    return reading;
  };
  const catchUp = async (): Promise<void> => {
    if (at) await readNext();
  };
  const follow = async (here: NonNullable<typeof at>): Promise<void> => {
    const { signal } = here.closing;
    while (!signal.aborted) {
      const read = await mailbox.wait(here.box, here.place, signal).then(readNext, () => false);
      if (!read) await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  };

  return {
    async open(team, hear) {
      const box = deskOf(team);
      if (at?.box === box) return;
      at?.closing.abort();
      const here = { box, place: 0, hear, closing: new AbortController() };
      at = here;
      await catchUp();
      void follow(here);
    },
    async post(note) {
      if (!at) return;
      const text = JSON.stringify({ run, pid: stamp.pid, start: stamp.start, note });
      try {
        await mailbox.send(at.box, { id: newId(), text, origin: { kind: 'system', about: 'desk' } });
      } catch (error) {
        trouble(`The others were not told: ${errorText(error)}`);
      }
    },
    catchUp,
    close() {
      at?.closing.abort();
      at = undefined;
    },
  };
};
