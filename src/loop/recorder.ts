/** The one place that records: append to the transcript, apply to the state, tell the readers. */

import type { Emit } from '../contract/event.ts';
import type { SessionState } from '../contract/state.ts';
import type { Entry, EntryBody } from '../contract/transcript.ts';
import { errorText } from '../lib/error-text.ts';
import type { LoopDeps, Opening } from './deps.ts';
import { apply, type Before } from './state.ts';

export interface Recorder {
  state(): SessionState;
  record(body: EntryBody, sync?: 'sync'): Promise<void>;
  /** Goes back to a state of earlier: what is recorded next follows its `parent`. */
  goBack(to: string | null, words: string, before: Before): Promise<void>;
  /** Everything so far is on the disk itself, not only in its cache. */
  flush(): Promise<void>;
  /** Writes what waits and gives the transcript up. */
  close(): Promise<void>;
  /** All that was recorded, read back from where it is saved; what waits for the first message, as long as it waits. */
  entries(): Promise<readonly Entry[]>;
  /** A sentence when something could not be saved. */
  unsaved(): string | undefined;
}

/** Until somebody speaks a conversation leaves no file: opening facts wait for the first message. An agent's does at once. */
const speaks = (body: EntryBody): boolean =>
  body.type === 'user' || body.type === 'refused' || body.type === 'title' || body.type === 'note';

export const createRecorder = (deps: LoopDeps, opening: Opening, emit: Emit): Recorder => {
  let state: SessionState | undefined = opening.before;
  let held: Entry[] | undefined = opening.before || opening.entry.parent ? undefined : [];
  let writing: Promise<void> = Promise.resolve();
  let lost: string | undefined;
  let closed = false;

  const write = async (entry: Entry, sync?: 'sync'): Promise<void> => {
    const cwd = current().cwd;
    try {
      await opening.writer.append(entry, { cwd, branch: deps.branch(cwd) });
      if (sync) await opening.writer.sync();
      saved();
    } catch (error) {
      fail(error);
    }
  };
  /** What was refused before went along. */
  const saved = (): void => {
    if (lost) emit({ type: 'notice', level: 'warn', text: 'This session is saved again, all of it.' });
    lost = undefined;
  };
  const fail = (error: unknown): void => {
    const text = `This session is not being saved: ${errorText(error)}`;
    if (!lost) emit({ type: 'notice', level: 'error', text });
    lost = text;
  };
  const current = (): SessionState => {
    if (!state) throw new Error('A session records its opening first.');
    return state;
  };

  const flush = (): Promise<void> => {
    writing = writing.then(() => opening.writer.sync()).then(saved, fail);
    return writing;
  };

  const put = (given: EntryBody, sync?: 'sync', back?: Before): Promise<void> => {
    const body = deps.mask?.(given) ?? given;
    const entry: Entry = {
      ...body,
      uuid: deps.newId(),
      parentUuid: back ? back.parent : (state?.last ?? null),
      timestamp: deps.now().toISOString(),
    };
    state = apply(state, opening.id, entry, { back });
    const waiting = held;
    if (waiting && !speaks(body)) waiting.push(entry);
    else {
      held = undefined;
      for (const one of [...(waiting ?? []), entry]) writing = writing.then(() => write(one, sync));
    }
    return writing.then(() => emit({ type: 'entry', entry }));
  };

  return {
    state: current,
    unsaved: () => lost,
    flush,
    async entries() {
      if (held) return [...held];
      await flush();
      return (await deps.entries?.(opening.writer.path)) ?? [];
    },
    close() {
      closed = true;
      writing = writing.then(() => opening.writer.close()).then(saved, fail);
      return writing;
    },
    goBack: (to, words, before) => put({ type: 'rewound', to, words }, 'sync', before),
    // A background hook may outlive the session that it was started by.
    record: (body, sync) => (closed && body.type === 'hook' ? Promise.resolve() : put(body, sync)),
  };
};
