/** The file history of one session tree: recorded before and after every call that may change files. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type {
  CallAhead,
  CheckpointStep,
  Checkpoints,
  FileChange,
  RewindPlan,
  RunGit,
} from '../contract/checkpoint.ts';
import { errorText } from '../lib/error-text.ts';
import { oneAtATime } from '../lib/one-at-a-time.ts';
import { diffText, type Pair } from './diff.ts';
import { realFile, sameState, stateAt } from './file-state.ts';
import { type Begun, type JournalLine, openJournal } from './journal.ts';
import { planFor, storiesOf, topOf } from './plan.ts';
import { inOrder, putBack } from './restore.ts';
import { stepsOf } from './steps.ts';
import { objectStore } from './store.ts';
import { createTrees, noTrees } from './trees.ts';

export interface CheckpointDeps {
  /** A private folder beside the session; made on first use. */
  folder(): Promise<string>;
  /** Undefined where git is missing: then commands are not recorded, which is said once. */
  readonly git: RunGit | undefined;
  readonly never: readonly string[];
  now(): number;
  trouble(text: string): void;
}

const IGNORED =
  'Files that git ignores are not recorded when commands change them; nor are repositories that they make.';

/** A file that was the same before and after is no change. */
const changed = ({ before, after }: FileChange): boolean => after === undefined || !sameState(before, after);

export const createCheckpoints = (deps: CheckpointDeps): Checkpoints => {
  const open = async () => {
    const folder = await deps.folder();
    const store = objectStore(join(folder, 'store'), deps.git);
    const journal = await openJournal(join(folder, 'journal.jsonl'));
    const { git, never, trouble } = deps;
    return { store, journal, trees: git ? createTrees({ store, git, never, trouble }) : noTrees(trouble) };
  };
  let opened: ReturnType<typeof open> | undefined;
  const history = (): ReturnType<typeof open> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  /** One at a time: what a call leaves is recorded before the next one begins. */
  const inTurn = oneAtATime();
  const running = new Map<string, Begun>();
  /** Checkouts that were read ahead of time. An edit does not wait for it. */
  const readied = new Set<string>();
  let readying: Promise<void> = Promise.resolve();
  let failed = false;
  const quiet = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!failed) deps.trouble(`Changes of files are not recorded for /rewind: ${errorText(error)}.`);
      failed = true;
      return undefined;
    }
  };

  const begin = async ({ id: call, state, tool, subject, file }: CallAhead): Promise<string | undefined> => {
    const { store, journal, trees } = await history();
    const base = {
      type: 'begin' as const,
      id: randomUUID(),
      at: deps.now(),
      session: state.id,
      agent: state.agent.name ?? state.agent.type,
      tool,
      subject: subject.slice(0, 500),
      checkout: state.checkout,
    };
    let begun: Begun;
    if (file !== undefined) {
      const path = await realFile(file);
      begun = { ...base, file: { path, before: await stateAt(path, store, 'keep') } };
    } else {
      await readying;
      const tree = await trees.take(state.checkout);
      if (tree === undefined) return undefined;
      begun = { ...base, tree };
    }
    await journal.add(begun);
    running.set(call, begun);
    return begun.id;
  };

  const end = async (begun: Begun): Promise<void> => {
    const { store, journal, trees } = await history();
    let changes: readonly FileChange[] = [];
    if (begun.file) {
      const { path, before } = begun.file;
      changes = [{ path, before, after: await stateAt(path, store, 'keep') }];
    } else if (begun.tree !== undefined) {
      const after = await trees.take(begun.checkout);
      // It ended nowhere that is known: what it changed is looked for when somebody asks.
      if (after === undefined) return;
      changes = await trees.between(begun.checkout, begun.tree, after);
    }
    await journal.add({ type: 'end', id: begun.id, changes: changes.filter(changed) });
  };

  const finished = async (): Promise<readonly CheckpointStep[]> => {
    await readying;
    const { journal, trees } = await history();
    return stepsOf(journal.all(), new Set([...running.values()].map(({ id }) => id)), trees);
  };

  const planned = async (
    steps: readonly CheckpointStep[],
    gaps: readonly string[] = [],
  ): Promise<RewindPlan> => {
    const { store } = await history();
    const exists = (checkout: string) =>
      stateAt(checkout, store, 'look').then(({ kind }) => kind === 'folder');
    return { ...(await planFor(steps, (path) => stateAt(path, store, 'look'), exists)), gaps };
  };
  const shown = async (pairs: readonly Pair[], top: string) =>
    diffText(pairs, { store: (await history()).store, git: deps.git, top });

  return {
    ahead(checkout) {
      if (readied.has(checkout)) return;
      readied.add(checkout);
      // Whatever is wrong with it is told when there is something to record.
      const work = async () => void (await (await history()).trees.ready(checkout));
      readying = readying.then(work).catch(() => undefined);
    },
    before: (call) => inTurn(() => quiet(() => begin(call))),
    after(call) {
      const begun = running.get(call);
      if (!begun) return;
      void inTurn(async () => {
        await quiet(() => end(begun));
        running.delete(call);
      });
    },
    settled: () => inTurn(async () => undefined),
    steps: () => inTurn(finished),
    planSince: (at) =>
      inTurn(async () => {
        const steps = (await finished()).filter((step) => step.at >= at);
        const { journal } = await history();
        const commands = journal.all().some((line) => line.type === 'begin' && line.tree && line.at >= at);
        return planned(steps, commands ? [IGNORED] : []);
      }),
    planOf: (step) => inTurn(() => planned([step])),
    restore: (plan, { foreign, why }) =>
      inTurn(async () => {
        const { store, journal } = await history();
        const skipped = plan.lost.map(({ path, why: reason }) => ({ path, why: reason }));
        const changes: FileChange[] = [];
        const checkout = plan.top;
        for (const file of inOrder(plan.files)) {
          if (file.foreign && foreign === 'keep') {
            skipped.push({ path: file.path, why: 'somebody else changed it too' });
            continue;
          }
          const done = await putBack(file, store);
          if ('why' in done) skipped.push({ path: file.path, why: done.why });
          else changes.push({ path: file.path, before: done.before, after: file.target });
        }
        const base = {
          id: randomUUID(),
          at: deps.now(),
          session: '',
          agent: 'main',
          tool: 'rewind',
          subject: why,
          checkout,
        };
        const lines: readonly JournalLine[] = [
          { type: 'begin', ...base },
          { type: 'end', id: base.id, changes },
        ];
        if (changes.length > 0) for (const line of lines) await journal.add(line);
        return { restored: changes.map(({ path }) => path), skipped };
      }),
    diff: (steps) =>
      inTurn(async () => {
        const { store } = await history();
        const pairs: Pair[] = [];
        for (const [path, { target, expected }] of storiesOf(steps))
          pairs.push({ path, before: target, after: expected ?? (await stateAt(path, store, 'keep')) });
        return shown(pairs, topOf(steps));
      }),
    preview: (plan) =>
      inTurn(async () => {
        const { store } = await history();
        const pairs = await Promise.all(
          plan.files.map(async ({ path, target }) => ({
            path,
            before: await stateAt(path, store, 'keep'),
            after: target,
          })),
        );
        return shown(pairs, plan.top);
      }),
  };
};
