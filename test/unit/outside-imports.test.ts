import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askImports } from '../../src/app/ask-imports.ts';
import { createInstructions } from '../../src/app/instructions.ts';
import type { World } from '../../src/app/world.ts';
import type { ScreenCommands } from '../../src/contract/screen.ts';
import type { SessionState } from '../../src/contract/state.ts';

const place = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'imports-')));
  const [own, project] = [join(root, 'home', '.coppice'), join(root, 'project')];
  for (const dir of [own, project]) mkdirSync(dir, { recursive: true });
  writeFileSync(join(root, 'shared.md'), 'Shared rules.\n');
  writeFileSync(join(project, 'AGENTS.md'), 'Own rules.\n@../shared.md\n');
  const world = {
    homes: { own, user: join(root, 'home') },
    project,
    env: () => ({}),
    loaded: () => ({ settings: {} }),
  } as unknown as World;
  const state = {
    id: 's',
    cwd: project,
    checkout: project,
    seen: {},
    messages: [],
  } as unknown as SessionState;
  const asked: string[] = [];
  const commands = (answer: string | undefined) =>
    ({
      notice: () => undefined,
      confirm: async ({ body }: { body: string }) => {
        asked.push(body);
        return answer;
      },
    }) as unknown as ScreenCommands;
  /** A new run of the program. */
  const run = async (answer: string | undefined) => {
    const instructions = createInstructions(world);
    await askImports(commands(answer), instructions)(state);
    return (await instructions.inForce(state)).map(({ text }) => text.trim());
  };
  return { run, asked, own, shared: join(root, 'shared.md'), project };
};

test('a yes is asked for once and kept', async () => {
  const { run, asked, own, shared, project } = place();
  expect(await run('allowed')).toEqual(['Own rules.\n@../shared.md', 'Shared rules.']);
  expect(await run('refused')).toContain('Shared rules.');
  expect(asked).toEqual([expect.stringContaining(`- ${shared} (imported by ${join(project, 'AGENTS.md')})`)]);
  expect(JSON.parse(readFileSync(join(own, 'imports.json'), 'utf8'))).toEqual({
    [project]: { allowed: [shared], refused: [] },
  });
});

test('a no is kept too; leaving the question open asks again', async () => {
  const { run, asked } = place();
  expect(await run(undefined)).not.toContain('Shared rules.');
  expect(await run('refused')).not.toContain('Shared rules.');
  expect(await run('allowed')).not.toContain('Shared rules.');
  expect(asked).toHaveLength(2);
});
