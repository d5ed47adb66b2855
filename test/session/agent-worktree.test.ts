/** Agents in worktrees of their own, as far as their beginning and going on is concerned. */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { say, use } from '../support/replies.ts';
import { type Crew, openCrew } from './crew.ts';

const isChild = ({ system }: Received): boolean => system.includes('You are the agent type');
const start = (name: string) =>
  use('AgentTool', { prompt: 'Write it', description: 'write it', name, isolation: 'worktree' });
const goOn = use('SendMessageTool', { to: 'ann', message: 'Go on', summary: 'asks for more of it' });

const outputsOf = (crew: Crew): string => {
  const { id, project } = crew.root.session.state();
  return join(crew.stores.transcripts.locate(id, project).replace(/\.jsonl$/, ''), 'outputs');
};
/** A file lies where the folder of results goes: no agent can begin. */
const withoutOutputs = async (crew: Crew, work: () => Promise<void>): Promise<void> => {
  const folder = outputsOf(crew);
  mkdirSync(dirname(folder), { recursive: true });
  if (existsSync(folder)) renameSync(folder, `${folder}-away`);
  writeFileSync(folder, '');
  await work();
  rmSync(folder);
  if (existsSync(`${folder}-away`)) renameSync(`${folder}-away`, folder);
};
const worktrees = async (crew: Crew): Promise<readonly string[]> =>
  (await crew.place.git('worktree', 'list', '--porcelain')).trim().split('\n\n').slice(1);

it('an agent that cannot go on leaves its worktree unlocked, and goes on in it later', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server, { mode: 'bypassPermissions' });
  server.lane(isChild, use('Bash', { command: 'echo mine > mine.txt; pwd' }), say('Written.'));
  server.script(start('ann'), say('Kept.'));
  await crew.say('Have it written.');
  const [kept] = await worktrees(crew);
  expect(kept).toMatch(/\/ann-[0-9a-f]{8}\n/);
  expect(kept).not.toContain('locked');

  server.script(goOn, say('It cannot.'));
  await withoutOutputs(crew, () => crew.say('Let it go on.'));
  const [failed] = server.requests.at(-1)?.results ?? [];
  expect(failed?.error).toBe(true);
  expect(await worktrees(crew)).toEqual([kept]);

  server.lane(isChild, use('Bash', { command: 'cat mine.txt' }), say('Read.'));
  server.script(goOn, say('It goes on.'));
  server.always((request) => !isChild(request) && server.remaining() === 0, say('Heard.'));
  await crew.say('Let it go on again.');
  const read = server.requests.filter(isChild).at(-1)?.results[0];
  expect(read).toMatchObject({ error: false, text: expect.stringContaining('mine') });
  expect(await worktrees(crew)).toEqual([kept]);
});

it('an agent that cannot begin leaves no worktree behind', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  server.script(start('ann'), say('It cannot.'));
  await withoutOutputs(crew, () => crew.say('Have it written.'));
  expect(server.requests.at(-1)?.results[0]?.error).toBe(true);
  expect(await worktrees(crew)).toEqual([]);
});
