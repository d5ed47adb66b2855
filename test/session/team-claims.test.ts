import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { say, use } from '../support/replies.ts';
import { type Crew, openCrew } from './crew.ts';

const isLead = ({ system }: Received) => !system.includes('You are the agent type');
const start = use('AgentTool', {
  prompt: 'You are ann.',
  description: 'work as ann',
  name: 'ann',
  team_name: 'crew',
});
/** Ann says that she is there; the lead has made so many tasks, each waiting for the one before. */
const crewWith = async (count: number, prepare: (crew: Crew, file: string) => Promise<void>) => {
  const server = await modelServer();
  const crew = await openCrew(server);
  const file = join(crew.place.state, 'tasks', 'crew', '1.json');
  server.lane(
    isLead,
    use('TeamCreateTool', { team_name: 'crew' }),
    Array.from({ length: count }, (_, at) =>
      use('TaskCreateTool', { subject: `Job ${at + 1}`, description: 'D' }),
    ),
    ...(count > 1 ? [use('TaskUpdateTool', { taskId: '2', addBlockedBy: ['1'] })] : []),
    async () => {
      await prepare(crew, file);
      return start;
    },
    say('She is at it.'),
  );
  server.always(isLead, say('I see.'));
  server.always(() => true, say('I am here.'));
  return {
    server,
    crew,
    file,
    async [Symbol.asyncDispose]() {
      await crew[Symbol.asyncDispose]();
      await server.close();
    },
  };
};
const letters = (crew: Crew) =>
  crew.seen.flatMap((event) =>
    event.type === 'entry' && event.entry.type === 'user' && event.entry.origin.kind === 'mail'
      ? [JSON.parse(event.entry.display ?? '{}')]
      : [],
  );

it('a teammate rests, told once, where what is left waits for a file that cannot be read', async () => {
  await using here = await crewWith(2, async (_, file) => writeFile(file, '{"id": "1",'));
  await here.crew.say('go');
  expect(letters(here.crew)).toMatchObject([{ type: 'idle_notification', idleReason: 'available' }]);
  expect(here.server.requests.filter((request) => !isLead(request))).toHaveLength(1);
});

it('a list that cannot be changed is told once, with its path, and harms no task', async () => {
  await using here = await crewWith(1, async (_, file) => {
    // A lock that is a file: nobody can take it, as on a disk that refuses.
    await writeFile(join(file, '..', '.lock'), '');
  });
  await here.crew.say('go');
  expect(letters(here.crew)).toMatchObject([
    { idleReason: 'failed', failureReason: expect.stringContaining(join('tasks', 'crew')) },
  ]);
  expect(JSON.parse(await readFile(here.file, 'utf8'))).toMatchObject({ status: 'pending' });
});
