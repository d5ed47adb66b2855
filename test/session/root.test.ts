/** A root conversation: what settings mean for it while it is open, and what becomes of one that cannot begin. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createModels } from '../../src/app/models.ts';
import { modelServer } from '../support/model-server.ts';
import { leftovers } from '../support/processes.ts';
import { reply, say } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { toolServer } from '../support/tool-server-config.ts';
import { openCrew } from './crew.ts';

it('compacts by settings as they stand now, at the same size whatever the model', async () => {
  await using server = await modelServer([
    reply([say('first')], { usage: { input_tokens: 30_000, output_tokens: 10 } }),
    say('SUMMARY'),
    say('second'),
  ]);
  await using crew = await openCrew(server);
  await crew.say('one');
  const set = async (settings: object) => {
    await crew.place.write(join(crew.place.state, 'settings.json'), JSON.stringify(settings));
    await crew.house.world.reload();
  };
  await set({ autoCompactWindow: 20_000, autoCompactEnabled: false });
  expect(crew.house.habits.compactAt('claude-sonnet-4-5')).toBeUndefined();
  await set({ autoCompactWindow: 20_000 });
  const sizes = ['claude-sonnet-4-5', 'claude-sonnet-5-5'].map((model) => {
    const { window } = crew.house.models.facts(model);
    return [window, Math.round(window * (crew.house.habits.compactAt(model) ?? 0))];
  });
  expect(sizes.map(([, size]) => size)).toEqual([20_000, 20_000]);
  expect(new Set(sizes.map(([window]) => window)).size).toBe(2);
  await crew.say('two');
  expect(server.requests).toHaveLength(3);
  expect(server.requests[2]?.raw).toContain('SUMMARY');
});

it('one that cannot begin leaves nothing running', async () => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  const noted = join(place.path, 'server.pid');
  const { command, args } = toolServer();
  const script = 'echo $$ > "$0"; exec "$@"';
  const own = { command: '/bin/sh', args: ['-c', script, noted, command, ...args] };
  const definition = {
    name: 'served',
    description: 'served',
    prompt: 'You are the agent type served.',
    source: 'builtin' as const,
    mcpServers: [{ near: own }],
  };
  await expect(openCrew(server, { place, definition, flags: { worktree: '../out' } })).rejects.toThrow(
    '../out',
  );
  expect(existsSync(noted)).toBe(true);
  expect(await leftovers(place.tag, 10_000)).toEqual([]);
});

it('warms its model whatever that is, and a model that cannot be reached that way says so only when asked', async () => {
  for (const practice of [true, false]) {
    await using server = await modelServer();
    await using crew = await openCrew(server);
    const models = await createModels({
      flags: { outputFormat: 'text', inputFormat: 'text', sessionPersistence: true },
      env: { ...crew.house.world.env(), ANTHROPIC_BASE_URL: 'no address' },
      loaded: crew.house.world.loaded(),
      version: '0',
      practice,
    });
    await expect(models.client.warm()).resolves.toBeUndefined();
  }
});
