/** Many agents write to a lead that is killed and resumed; every message must arrive once and in its sender's order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import { fileTranscripts } from '../../src/store/transcripts.ts';
import { isLead, isMate, killedLead, membersOf } from '../support/crew.ts';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { type Block, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { runCoppice, startCoppice } from '../support/run-binary.ts';

export interface Storm {
  readonly senders: number;
  readonly direct: number;
  readonly broadcasts: number;
  readonly kills: number;
  readonly seed: number;
}

const SESSION = '11111111-2222-4333-8444-555555555555';
/** As it stands in a request: marked with the name of its sender. */
const LETTER = /<teammate-message teammate_id=\\"s\d+\\"[^>]*>\\n(s\d+ \d+)\\n<\/teammate-message>/g;
/** Calls in one reply of a sender. */
const BATCH = 10;

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

export const mailStorm = async ({ senders, direct, broadcasts, kills, seed }: Storm): Promise<void> => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  const names = upTo(senders).map((at) => `s${at}`);
  const total = direct + broadcasts;
  const every = broadcasts === 0 ? Number.POSITIVE_INFINITY : Math.floor(total / broadcasts);
  const isBroadcast = (n: number): boolean => n % every === 0;
  const failed: string[] = [];
  const busy = new Set(names);
  for (const name of names) {
    const left = upTo(total).map((n) =>
      use('SendMessageTool', {
        to: isBroadcast(n) ? '*' : 'team-lead',
        message: `${name} ${n}`,
        summary: 'a number in a long row',
      }),
    );
    server.always(isMate(name), ({ results }: Received): readonly Block[] => {
      failed.push(...results.filter(({ error }) => error).map(({ text }) => text));
      if (left.length === 0) busy.delete(name);
      return left.length === 0 ? [say('Noted.')] : left.splice(0, BATCH);
    });
  }
  server.always(isLead, async () => {
    await pause(15);
    return say('Noted.');
  });
  const run = (...args: string[]) => ['-p', ...args, '--teammate-mode', 'process'];
  const all = () => names.every((name) => server.requests.some(isMate(name)));
  const world = { server, start: (args: readonly string[]) => startCoppice(place, args) };
  await killedLead(world, names, () => expect.poll(all, { timeout: 60_000 }).toBe(true), {
    flags: ['--session-id', SESSION],
  });
  let at = seed;
  for (let kill = 0; kill < kills; kill += 1) {
    at = (at * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    const lead = startCoppice(place, run('Go on.', '--resume', SESSION));
    lead.endInput();
    const before = server.requests.filter(isLead).length;
    await expect
      .poll(() => server.requests.filter(isLead).length, { timeout: 60_000 })
      .toBeGreaterThan(before);
    await pause(at % 60);
    lead.kill('SIGKILL');
    await lead.ended;
  }
  await expect.poll(() => busy.size, { timeout: 120_000 }).toBe(0);
  expect(await runCoppice(place, run('Go on.', '--resume', SESSION), { timeout: 120_000 })).toMatchObject({
    code: 0,
  });

  expect([seed, failed, server.violations]).toEqual([seed, [], []]);
  const desk = readFileSync(join(place.state, 'teams', 'crew', 'desk.jsonl'), 'utf8');
  expect([seed, desk.match(/"type\\":\\"began/g)]).toEqual([seed, names.map(() => '"type\\":\\"began')]);
  const transcripts = fileTranscripts(place.state, '0');
  const heardBy = async (path: string): Promise<readonly string[]> => {
    const { entries, repairs } = await transcripts.load(path);
    expect(repairs).toEqual([]);
    return entries.flatMap((entry) =>
      entry.type === 'user' && entry.origin.kind === 'mail' && !entry.origin.protocol
        ? [entry.display ?? '']
        : [],
    );
  };
  const heard = await heardBy(transcripts.locate(SESSION as SessionId, place.path));
  for (const name of names)
    expect([seed, heard.filter((text) => text.startsWith(`${name} `))]).toEqual([
      seed,
      upTo(total).map((n) => `${name} ${n}`),
    ]);
  // The model reads all of it too: each letter marked as its sender's, those that came together in one message.
  const told = server.requests.filter(isLead).at(-1);
  const shown = (text: string) => [...text.matchAll(LETTER)].map(([, words]) => words ?? '');
  for (const name of names)
    expect([seed, shown(told?.raw ?? '').filter((text) => text.startsWith(`${name} `))]).toEqual([
      seed,
      upTo(total).map((n) => `${name} ${n}`),
    ]);
  const most = Math.max(
    ...(told?.body.messages ?? []).map((message) => shown(JSON.stringify(message)).length),
  );
  expect(most).toBeGreaterThan(1);
  for (const { name, transcript = '' } of membersOf(place).filter((one) => names.includes(one.name)))
    await expect
      .poll(() => heardBy(transcript).then((texts) => texts.toSorted(byNumber)), { timeout: 60_000 })
      .toEqual(
        names
          .filter((other) => other !== name)
          .flatMap((other) =>
            upTo(total)
              .filter(isBroadcast)
              .map((n) => `${other} ${n}`),
          ),
      );
};

/** By sender; what one sender wrote stays in the order it came in. */
const byNumber = (a: string, b: string): number =>
  (a.split(' ')[0] ?? '').localeCompare(b.split(' ')[0] ?? '');
