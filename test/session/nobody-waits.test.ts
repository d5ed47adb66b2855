import { join } from 'node:path';
import { expect, test } from 'vitest';
import { slashOf } from '../../src/app/builtin-commands.ts';
import { createLifecycle } from '../../src/app/lifecycle.ts';
import { screenPorts } from '../../src/app/screen-ports.ts';
import type { ScreenCommands } from '../../src/contract/screen.ts';
import { modelServer } from '../support/model-server.ts';
import { type Crew, openCrew } from './crew.ts';

const BROKE = () => Promise.reject(new Error('it broke'));

const portsOf = ({ house, root }: Crew, more: { readonly beforePrompt: () => Promise<unknown> }) => {
  const noted: string[] = [];
  const commands = { notice: (_: string, text: string) => void noted.push(text) } as ScreenCommands;
  const ports = screenPorts({
    house,
    slash: slashOf(house, { write: () => undefined, more: [] }),
    root,
    commands,
    typing: () => ({}) as never,
    exit: () => undefined,
    switchTo: async () => undefined,
    ...more,
  });
  return { ports, commands, noted };
};

test('what could not be sent goes back to whoever typed it, with the reason', async () => {
  await using crew = await openCrew(await modelServer());
  const { ports } = portsOf(crew, { beforePrompt: BROKE });
  expect(await ports.submit?.({ text: 'hello', images: [] })).toEqual({ refused: 'Not sent: it broke' });
});

test('a command of the project that cannot be asked about does not run, and that is said', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  await crew.place.write('.claude/commands/mine.md', 'Do it.');
  await crew.house.library.upToDate();
  const { ports, commands, noted } = portsOf(crew, { beforePrompt: BROKE });
  expect(ports.slash?.find('mine')?.source).toBe('project');
  expect(await ports.slash?.run('/mine', commands)).toBe(true);
  expect(noted).toEqual(['/mine did not run: it broke']);
  expect(server.requests).toEqual([]);
});

test('a change on disk that cannot be taken in is told, and ends nothing', async () => {
  await using server = await modelServer();
  await using crew = await openCrew(server);
  const keys = join(crew.place.root, 'keys.json');
  const told: string[] = [];
  const lifecycle = createLifecycle(crew.house, {
    mayUse: async () => true,
    tell: (text) => void told.push(text),
    typing: { habits: () => ({}) as never, files: [keys], problems: () => [], reload: BROKE },
  });
  lifecycle.attend(crew.root);
  await expect
    .poll(
      async () => {
        await crew.place.write(keys, String(Math.random()));
        return told;
      },
      { interval: 300, timeout: 15_000 },
    )
    .toContain('A change on disk could not be taken in: it broke');
  await lifecycle.close();
});
