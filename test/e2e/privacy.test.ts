import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canTrace, connectionsIn, traced } from '../support/connections.ts';
import { modelServer } from '../support/model-server.ts';
import { reply, say, use } from '../support/replies.ts';
import { tempRepo } from '../support/repo.ts';
import { COPPICE, runCoppice } from '../support/run-binary.ts';
import { openTerminal } from '../support/terminal.ts';

describe.skipIf(!canTrace())('no connection but to the chosen model', () => {
  test('a whole conversation on the screen, with tools and commands', async () => {
    await using server = await modelServer();
    await using place = await tempRepo({ server, env: { COPPICE_SANDBOXED: '1' } });
    server.script(
      reply([use('Read', { file_path: 'README.md' }), use('Bash', { command: 'git log --oneline' })]),
      reply([use('Grep', { pattern: 'hello' }), use('Write', { file_path: 'new.txt', content: 'x\n' })]),
      say('All is done.'),
    );
    const trace = join(place.root, 'trace');
    const command = [...traced(trace), process.execPath, COPPICE] as const;
    await using terminal = await openTerminal(
      place,
      ['--trust', '--permission-mode', 'acceptEdits', 'look around'],
      { command: [command[0], ...command.slice(1)] },
    );
    await terminal.waitFor('All is done.', 60_000);
    for (const line of ['/status', '/doctor', '/help']) {
      terminal.type(line);
      terminal.key('enter');
      await terminal.settle(300);
    }
    // Leaves the page of the help.
    terminal.key('q');
    await terminal.settle(300);
    terminal.type('/exit');
    terminal.key('enter');
    await terminal.exit(30_000);
    const seen = new Set(connectionsIn(trace));
    expect([...seen]).toEqual([new URL(server.url).host]);
  });

  test('the practice model speaks to nobody, nor does the doctor', async () => {
    await using place = await tempRepo();
    for (const args of [
      ['-p', 'what is in this folder?', '--practice'],
      ['doctor'],
      ['config', 'list'],
      ['--help'],
    ]) {
      const trace = join(place.root, `trace-${args[0]?.replace(/\W/g, '')}`);
      const [first, ...rest] = traced(trace);
      const ran = await runCoppice(place, args, { command: [first, ...rest, process.execPath, COPPICE] });
      expect(ran.code).toBe(0);
      expect(connectionsIn(trace)).toEqual([]);
    }
  });
});
