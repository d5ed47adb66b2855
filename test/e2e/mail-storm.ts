/** Many write to a lead that is killed and resumed; every message must arrive once and in its sender's order. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { SessionId } from '../../src/contract/ids.ts';
import { fileTranscripts } from '../../src/store/transcripts.ts';
import { modelServer } from '../support/model-server.ts';
import { say, use } from '../support/replies.ts';
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
const sender = join(import.meta.dirname, 'mail-sender.ts');

export const mailStorm = async ({ senders, direct, broadcasts, kills, seed }: Storm): Promise<void> => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  server.script([use('TeamCreateTool', { team_name: 'crew' })], say('Ready.'));
  expect(await runCoppice(place, ['-p', 'Lead.', '--session-id', SESSION])).toMatchObject({ code: 0 });
  server.always(/.*/, async () => {
    await pause(15);
    return say('Noted.');
  });
  const names = Array.from({ length: senders }, (_, at) => `s${at}`);
  const writing = Promise.all(
    names.map(async (name) => {
      const child = spawn(
        process.execPath,
        [sender, place.state, place.path, name, String(direct), String(broadcasts)],
        {
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
      let wrong = '';
      child.stderr.on('data', (piece) => {
        wrong += piece;
      });
      const [code] = await once(child, 'close');
      expect([code, code === 0 ? '' : wrong]).toEqual([0, '']);
    }),
  );
  let at = seed;
  for (let kill = 0; kill < kills; kill += 1) {
    at = (at * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    const run = startCoppice(place, ['-p', 'Go on.', '--resume', SESSION]);
    run.endInput();
    await server.waitForRequests(server.requests.length + 1);
    await pause(at % 40);
    run.kill('SIGKILL');
    await run.ended;
  }
  await writing;
  expect(await runCoppice(place, ['-p', 'Go on.', '--resume', SESSION])).toMatchObject({ code: 0 });

  const transcripts = fileTranscripts(place.state, '0');
  const { entries, repairs } = await transcripts.load(transcripts.locate(SESSION as SessionId, place.path));
  expect(repairs).toEqual([]);
  const heard = entries.flatMap((entry) =>
    entry.type === 'user' && entry.origin.kind === 'mail' && !entry.origin.protocol
      ? [entry.display ?? '']
      : [],
  );
  for (const name of names)
    expect([seed, heard.filter((text) => text.startsWith(`${name} `))]).toEqual([
      seed,
      Array.from({ length: direct + broadcasts }, (_, n) => `${name} ${n + 1}`),
    ]);
};
