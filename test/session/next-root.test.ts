import { expect, test } from 'vitest';
import { nextRoot } from '../../src/app/next-root.ts';
import type { AgentDefinition } from '../../src/contract/agent.ts';
import { modelServer } from '../support/model-server.ts';
import { say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { openCrew } from './crew.ts';

const scout: AgentDefinition = {
  name: 'scout',
  description: 'looks around',
  prompt: 'You are the scout.',
  source: 'builtin',
  maxTurns: 1,
};

test.each(['clear', 'resume'] as const)(
  'after /%s the agent that the conversation is stays, with its limit of turns, also where another cannot be opened',
  async (how) => {
    await using server = await modelServer([say('earlier')]);
    await using place = await tempRepo({ server });
    const earlier = await openCrew(server, { place });
    await earlier.say('prompt');
    const { id } = earlier.root.session;
    await earlier.close();
    await using crew = await openCrew(server, { place });
    // Somebody has it open.
    const held = await crew.stores.transcripts.open(id, crew.house.world.project);
    const before = { ...crew.root, definition: scout };
    const next = await nextRoot(
      crew.house,
      crew.house.world.flags,
      before,
      how === 'clear' ? { how } : { how, id },
    );
    if ('close' in held) await held.close();
    if ('refused' in next) throw new Error(next.refused);
    expect(next.instead).toEqual(how === 'clear' ? undefined : expect.stringContaining('is open in process'));
    server.script([use('Glob', { pattern: '*' })], say('never asked'));
    await next.root.session.send('look');
    // The person is asked for more turns.
    await expect
      .poll(() => JSON.stringify(next.root.session.openAsks()))
      .toMatch(/budget is used up.*\bturns?\b/);
    expect(server.requests.at(-1)?.system).toContain('You are the scout.');
    await next.root.close('other');
  },
);

test('a conversation that is gone leaves the one that is open as it is', async () => {
  await using server = await modelServer([say('still here')]);
  await using crew = await openCrew(server);
  const next = await nextRoot(crew.house, crew.house.world.flags, crew.root, { how: 'resume', id: 'nobody' });
  expect(next).toEqual({ refused: 'That conversation is gone.' });
  await crew.say('hello');
  expect(crew.root.conversation.lastEnd()).toMatchObject({ text: 'still here' });
});
