/** What a hostile repository can do: nothing before trust, what it said after, some things never. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AFTER_TRUST, type Bait, layBait, NEVER, openBait, setOff, WORDS } from '../support/hostile.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { reply, say } from '../support/replies.ts';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { runCoppice } from '../support/run-binary.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';

let repo: TempRepo;
let bait: Bait;
let server: ModelServer;
beforeAll(async () => {
  server = await modelServer();
  server.always(
    () => true,
    (request) => {
      const first = request.prompt.includes('go') && request.results.length === 0;
      return first && !request.system.includes('You are bait') ? reply(setOff(repo, bait)) : say('done');
    },
  );
  repo = await tempRepo({ server });
  bait = await openBait(repo);
  await layBait(repo, bait);
  await repo.write(
    join(repo.state, 'settings.json'),
    JSON.stringify({ permissions: { allow: ['Bash(printenv *)'] } }),
  );
});
afterAll(async () => {
  await bait[Symbol.asyncDispose]();
  await repo.dispose();
  await server.close();
});

/** Everything that worked, by name, since the last look. */
const worked = async (): Promise<readonly string[]> => {
  const sent = server.requests.map(({ raw }) => raw).join('\n');
  const said = Object.entries(WORDS).flatMap(([name, word]) => (sent.includes(word) ? [name] : []));
  const fired = [...(await bait.fired()), ...said];
  await bait.reset();
  (server.requests as unknown as unknown[]).length = 0;
  return fired.toSorted();
};
const run = (...args: string[]) => runCoppice(repo, ['-p', 'go', ...args]);

it('the bait is live: git itself starts what its configuration names', async () => {
  for (const args of [['status'], ['diff'], ['st'], ['add', 'a.txt']]) await repo.git(...args);
  await repo.git('reset', '-q');
  expect(await worked()).toEqual(
    expect.arrayContaining(['git-alias', 'git-clean-filter', 'git-fsmonitor', 'git-textconv']),
  );
});

describe('before trust', () => {
  it('a run without a person does nothing of it and says so in one line', async () => {
    const ran = await run();
    expect(await worked()).toEqual([]);
    const line = `${repo.path} is not trusted: its own hooks, servers, variables, allow rules and modes are off. To use them: --trust, COPPICE_TRUST=1, or coppice trust.`;
    expect(ran.stderr.split('\n').filter((one) => one.includes('trusted'))).toEqual([line]);
    expect(ran.stdout).toBe('done\n');
  });

  it('the project can take nothing from the environment of the next run', () => {
    expect(existsSync(join(repo.path, 'taken-over/projects'))).toBe(false);
    expect(existsSync(join(repo.path, 'taken-over/trust.json'))).toBe(false);
  });

  it('the question in a terminal names each carrier, and a no keeps all of it off', async () => {
    await using terminal = await openTerminal(repo, [], { rows: 60, columns: 160 });
    await terminal.waitFor('Do you trust this folder?');
    expect(await worked()).toEqual([]);
    await refuse(terminal);
    await talk(terminal);
    expect(await worked()).toEqual([]);
  });

  const DENIED = { permissions: { deny: ['Bash(rm *)'] } };
  it('what the project denies counts all the same', async () => {
    await using strict = await tempRepo({
      server,
      files: { '.coppice/settings.json': JSON.stringify(DENIED) },
    });
    const input = JSON.stringify({ tool: 'Bash', input: { command: 'rm x' } });
    const ran = await runCoppice(strict, ['permissions', 'check'], { stdin: input });
    expect(ran.stdout).toMatch(/^deny /);
  });
});

const until = async (sight: () => boolean): Promise<void> => {
  for (let tries = 0; !sight(); tries++) {
    if (tries > 400) throw new Error(`It did not come about: ${sight}`);
    await sleep(20);
  }
};

/** The program in a terminal, gone with all it started when the promise resolves. */
const inTerminal = async (work: (terminal: Terminal) => Promise<void>): Promise<void> => {
  await using terminal = await openTerminal(repo, [], { rows: 50, columns: 160 });
  await terminal.ready();
  await work(terminal);
};

const refuse = async (terminal: Terminal): Promise<void> => {
  await terminal.ready();
  terminal.key('down');
  terminal.key('enter');
  await terminal.waitUntilGone('Do you trust this folder?');
};
/** One round; everything it asks is refused. */
const talk = async (terminal: Terminal): Promise<void> => {
  const before = server.requests.length;
  terminal.type('please go on');
  await terminal.waitFor('please go on');
  await terminal.settle(50);
  terminal.key('enter');
  await terminal.waitFor('Instruction files outside this project');
  terminal.key('down');
  terminal.key('enter');
  await terminal.waitUntilGone('Instruction files outside this project');
  const asked = () => server.requests.length > before;
  await until(asked).catch((error: unknown) => {
    throw new Error(`${error}\n${terminal.text()}`);
  });
  await terminal.waitFor(() => /1\. Yes|done/.test(terminal.screen().join('\n')));
  terminal.key('esc');
  await terminal.settle();
  terminal.key('ctrl+c');
};

describe('after trust', () => {
  let seen: readonly string[];
  beforeAll(async () => {
    const trusted = await runCoppice(repo, ['trust']);
    expect(trusted.stdout).toContain(`${repo.path} is trusted. What it can run or set:`);
    await run();
    seen = await worked();
  });
  it.each(AFTER_TRUST)('%s works', (name) => expect(seen).toContain(name));
  it.each(NEVER)('%s does not work', (name) => expect(seen).not.toContain(name));
  it('nothing else happened', () => {
    expect(seen.filter((name) => !AFTER_TRUST.some((one) => one === name))).toEqual([]);
  });

  it('the status line runs in a terminal, without a question', async () => {
    await inTerminal(async (terminal) => {
      await until(() => existsSync(join(repo.root, 'fired/status-line')));
      expect(terminal.text()).not.toContain('Do you trust');
    });
    expect(await worked()).toContain('status-line');
  });

  it('is listed with its fingerprint, and can be taken back', async () => {
    const listed = JSON.parse((await runCoppice(repo, ['trust', '--list', '--json'])).stdout);
    expect(listed).toEqual([
      {
        path: repo.path,
        trustedAt: expect.any(String),
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it('what changes afterwards counts as untrusted in a run without a person', async () => {
    const file = '.coppice/settings.json';
    const before = await repo.read(file);
    await repo.write(file, before.replace('settings-hook', 'changed-hook'));
    const ran = await run();
    expect(await worked()).toEqual([]);
    expect(ran.stderr).toContain('has changed since you trusted it');
    await repo.write(file, before);
    await run();
    expect(await worked()).toContain('settings-hook');
  });

  it('what the person changes by our own command does not count as a change', async () => {
    const file = '.coppice/settings.local.json';
    const before = await repo.read(file);
    const args = ['config', 'set', 'permissions.allow', '["Bash(make)"]', '--scope', 'local'];
    expect((await runCoppice(repo, args)).code).toBe(0);
    expect((await run()).stderr).not.toContain('has changed');
    await worked();
    await repo.write(file, before);
    await runCoppice(repo, ['trust']);
  });

  it('what changes in a plugin or a linked skill is noticed too', async () => {
    for (const file of ['tools/plugin/hooks/hooks.json', '.agents/skills/bait-link/SKILL.md']) {
      const before = await repo.read(file);
      await repo.write(file, before.replace('touch', 'touch '));
      expect((await run()).stderr).toContain('has changed since you trusted it');
      expect(await worked()).toEqual([]);
      await repo.write(file, before);
    }
  });

  it('a terminal asks again with the difference, and a no leaves the old one on', async () => {
    const file = '.coppice/settings.json';
    const before = await repo.read(file);
    await inTerminal(async (terminal) => {
      await until(() => existsSync(join(repo.root, 'fired/settings-hook')));
      await repo.write(file, before.replace('touch', 'touch ').replace('settings-hook', 'changed-hook'));
      await terminal.waitFor('This folder has changed');
      const screen = terminal.screen().join('\n');
      expect(screen).toMatch(/New:[\s\S]*changed-hook[\s\S]*Gone:[\s\S]*settings-hook/);
      terminal.key('down');
      terminal.key('enter');
      await terminal.waitFor('what it could run before goes on');
    }).finally(() => repo.write(file, before));
    expect(await worked()).not.toContain('changed-hook');
  });

  it('revoked, it is as before', async () => {
    expect((await runCoppice(repo, ['trust', '--revoke', '.'])).code).toBe(0);
    await run();
    expect(await worked()).toEqual([]);
    expect((await runCoppice(repo, ['trust', '--revoke', '.'])).code).toBe(1);
  });
});

describe('for one run', () => {
  it.each([
    ['--trust', ['--trust'], {}],
    ['COPPICE_TRUST=1', [], { COPPICE_TRUST: '1' }],
  ])('%s trusts and keeps nothing', async (_, args, env) => {
    await runCoppice(repo, ['-p', 'go', ...args], { env });
    expect(await worked()).toEqual(expect.arrayContaining(['settings-hook', 'server-file', 'skill-shell']));
    expect((await runCoppice(repo, ['trust', '--list', '--json'])).stdout).toBe('[]\n');
  });
});

describe('what decides where the key goes', () => {
  const settings = (value: object) => ({ '.coppice/settings.json': JSON.stringify(value) });
  it('an endpoint of the project gets nothing before trust, and is named and used after it', async () => {
    await using other = await modelServer([say('elsewhere')]);
    await using place = await tempRepo({
      server,
      files: settings({ env: { ANTHROPIC_BASE_URL: other.url } }),
    });
    await runCoppice(place, ['-p', 'hello']);
    expect(other.requests).toEqual([]);
    expect((await runCoppice(place, ['trust'])).stdout).toContain(`ANTHROPIC_BASE_URL="${other.url}"`);
    expect((await runCoppice(place, ['-p', 'hello'])).stdout).toBe('elsewhere\n');
    expect(other.requests).toHaveLength(1);
  });
  it('a key helper of the project runs only after trust', async () => {
    await using place = await tempRepo({ server });
    const helper = `touch ${join(place.root, 'helper')}; echo sk-helper`;
    await place.write('.coppice/settings.json', JSON.stringify({ apiKeyHelper: helper }));
    const env = { ANTHROPIC_API_KEY: undefined };
    await runCoppice(place, ['-p', 'hello'], { env });
    expect(existsSync(join(place.root, 'helper'))).toBe(false);
    await runCoppice(place, ['-p', 'hello', '--trust'], { env });
    expect(existsSync(join(place.root, 'helper'))).toBe(true);
  });
});

it('what a repository writes cannot act on the terminal', async () => {
  await using place = await tempRepo({
    server,
    files: {
      '.mcp.json': JSON.stringify({
        mcpServers: { x: { command: 'a\u001b]0;taken\u0007\u202eb\u001b[2J' } },
      }),
    },
  });
  const { stdout } = await runCoppice(place, ['trust']);
  expect(stdout).toContain('tool server x');
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u0080-\u009f\u202e]/);
});

describe('whose trust it is', () => {
  it('home and / are never trusted as a tree', async () => {
    for (const folder of [repo.home, '/']) {
      const ran = await runCoppice(repo, ['trust', folder]);
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('never trusted as a whole')]);
    }
  });
  it('a forged git directory borrows none', async () => {
    await using trusted = await tempRepo({ server });
    await runCoppice(trusted, ['trust']);
    const forged = join(trusted.root, 'forged');
    const hook = { hooks: [{ type: 'command', command: `touch ${join(trusted.root, 'borrowed')}` }] };
    await trusted.write(join(forged, '.git'), `gitdir: ${trusted.path}/.git\n`);
    await trusted.write(join(forged, 'commondir'), `${trusted.path}/.git\n`);
    await trusted.write(
      join(forged, '.coppice/settings.json'),
      JSON.stringify({ hooks: { SessionStart: [hook] } }),
    );
    const ran = await runCoppice(trusted, ['-p', 'hello'], { cwd: forged });
    expect(ran.stderr).toContain(`${forged} is not trusted`);
    expect(existsSync(join(trusted.root, 'borrowed'))).toBe(false);
  });
  it('is decided by the real path, not by the way there', async () => {
    await using place = await tempRepo({ server });
    await runCoppice(place, ['trust']);
    const { symlink } = await import('node:fs/promises');
    await symlink(place.path, join(place.root, 'link'));
    const listed = (await runCoppice(place, ['trust', '--list'], { cwd: join(place.root, 'link') })).stdout;
    expect(listed).toContain(place.path);
    expect(readFileSync(join(place.state, 'trust.json'), 'utf8')).not.toContain('/link');
  });
});
