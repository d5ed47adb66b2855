import type { Answer } from '../model.ts';
import type { Bench, Measurement } from '../row.ts';
import { runProgram } from '../run-program.ts';
import { headless } from './headless.ts';

const CORE = 'Bash,Read,Write,Edit,Glob,Grep';

interface Body {
  readonly system?: unknown;
  readonly tools?: unknown;
  readonly messages: readonly unknown[];
}

const bodies = async (bench: Bench, command: readonly string[], script: (serial: number) => Answer) => {
  bench.model.play(script);
  await runProgram(bench.place, command);
  return bench.model.asked.map(({ body }) => JSON.parse(body) as Body);
};

const kilobytes = (body: Body | undefined): number =>
  Buffer.byteLength(JSON.stringify([body?.system, body?.tools])) / 1024;

/** Marks for the cache say where a prefix ends and are no part of it. */
const bare = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner));

/** Share of an earlier request that the next one begins with, 0 to 1. */
const shared = (before: Body, after: Body): number => {
  if (bare([before.system, before.tools]) !== bare([after.system, after.tools])) return 0;
  const same = before.messages.filter((message, index) => bare(message) === bare(after.messages[index]));
  return same.length / before.messages.length;
};

/** Counted, not timed. */
export const requests: Measurement = {
  name: 'requests',
  about: 'size of the first request, and what the next shares with it',
  async run(bench) {
    const done: Answer = { blocks: [{ type: 'text', text: 'Done.' }] };
    const rounds = (serial: number): Answer =>
      serial < 30
        ? { blocks: [{ type: 'tool_use', name: 'Bash', json: JSON.stringify({ command: 'true' }) }] }
        : done;
    const all = await bodies(bench, headless(bench), rounds);
    const [core] = await bodies(bench, headless(bench, '--tools', CORE), () => done);
    return [
      {
        what: 'first request, system and all tools',
        unit: 'KB',
        floors: {},
        ours: kilobytes(all[0]),
        foundation: { at: 32 },
        target: { at: 24 },
      },
      {
        what: 'first request, system and core tools',
        unit: 'KB',
        floors: {},
        ours: kilobytes(core),
        target: { at: 12 },
      },
      {
        what: 'prefix not shared with the request before, 30 rounds',
        unit: 'share',
        floors: {},
        ours: 1 - Math.min(...all.slice(1).map((body, index) => shared(all[index] as Body, body))),
        foundation: { at: 0 },
        target: { at: 0 },
      },
    ];
  },
};
