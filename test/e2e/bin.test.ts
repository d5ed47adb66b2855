import { execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let house: string;

beforeEach(() => {
  house = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-bin-')));
  cpSync(join(root, 'bin'), join(house, 'bin'), { recursive: true });
  writeFileSync(join(house, 'package.json'), '{ "type": "module" }');
});

afterEach(() => rmSync(house, { recursive: true, force: true }));

test('says how to build when it is not built', async () => {
  expect(await run(process.execPath)).toEqual({
    code: 1,
    stdout: '',
    stderr: `Coppice is not built yet: run "npm ci && npm run build" in ${house}.\n`,
  });
});

test('keeps compiled code under the cache home of the person', async () => {
  built("console.log(require('node:module').getCompileCacheDir());");
  const { stdout } = await run(process.execPath, { XDG_CACHE_HOME: join(house, 'cache') });
  expect(stdout).toContain(join(house, 'cache', 'coppice', 'compiled'));
});

test('starts without a home', async () => {
  built("console.log('here');");
  expect(await run(process.execPath, { HOME: undefined, XDG_CACHE_HOME: undefined })).toMatchObject({
    code: 0,
    stdout: 'here\n',
  });
});

const old = olderNode();

describe.skipIf(old === undefined)('on a Node that is too old', () => {
  const node = old ?? '';

  test('says so in one sentence', async () => {
    built("console.log('here');");
    const { code, stderr } = await run(node);
    expect(stderr).toMatch(
      /^Coppice needs Node 24 or newer, and this is v\d+\.\d+\.\d+: install it from [^\n]*\n$/,
    );
    expect(code).toBe(1);
  });

  test('runs on the Node it brought along and ends as that ended', async () => {
    built('console.log(process.version, process.argv.slice(2).join()); process.exitCode = 7;');
    bringNode();
    expect(await run(node)).toEqual({ code: 7, stdout: `${process.version} a,b c\n`, stderr: '' });
  });

  test('passes a signal down and dies of what its child died of', async () => {
    built(
      "process.on('SIGTERM', () => { console.log('asked'); process.kill(process.pid, 'SIGKILL'); }); setInterval(() => {}, 1000); console.log('up');",
    );
    bringNode();
    const child = spawn(node, [join(house, 'bin', 'coppice.js')]);
    let said = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
      if (said === 'up\n') child.kill('SIGTERM');
    });
    const signal = await new Promise((done) => child.on('close', (_, by) => done(by)));
    expect([said, signal]).toEqual(['up\nasked\n', 'SIGKILL']);
  });
});

function built(entry: string): void {
  mkdirSync(join(house, 'dist'));
  writeFileSync(join(house, 'dist', 'entry.cjs'), entry);
}

function bringNode(): void {
  mkdirSync(join(house, 'node_modules', 'node', 'bin'), { recursive: true });
  symlinkSync(process.execPath, join(house, 'node_modules', 'node', 'bin', 'node'));
}

function run(
  node: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const args = [join(house, 'bin', 'coppice.js'), 'a', 'b c'];
    execFile(node, args, { env: { ...process.env, ...env } }, (failed, stdout, stderr) => {
      done({ code: failed?.code ?? 0, stdout, stderr });
    });
  });
}

/** A Node older than ours somewhere on this machine, as newcomers have it. */
function olderNode(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return candidates.find((node) => {
    try {
      return (
        Number(
          execFileSync(node, ['-p', 'parseInt(process.versions.node)'], {
            stdio: ['ignore', 'pipe', 'ignore'],
          }),
        ) < 24
      );
    } catch {
      return false;
    }
  });
}
