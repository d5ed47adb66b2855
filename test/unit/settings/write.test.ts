import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addRules, setSetting } from '../../../src/settings/write.ts';

const tempDir = async (): Promise<{ readonly dir: string } & AsyncDisposable> => {
  const dir = await mkdtemp(join(tmpdir(), 'coppice-write-'));
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
};

it('sets a key and keeps all else: order, unknown keys, indentation, mode', async () => {
  await using temp = await tempDir();
  const file = join(temp.dir, 'settings.json');
  const before = '{\n\t"zeta": 1,\n\t"permissions": {\n\t\t"allow": ["x"]\n\t},\n\t"model": "old"\n}';
  await writeFile(file, before, { mode: 0o640 });
  expect(await setSetting(file, 'permissions.defaultMode', 'plan')).toEqual({ written: file });
  expect(await setSetting(file, 'model', 'new')).toEqual({ written: file });
  expect(await readFile(file, 'utf8')).toBe(
    '{\n\t"zeta": 1,\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"x"\n\t\t],\n\t\t"defaultMode": "plan"\n\t},\n\t"model": "new"\n}',
  );
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  await setSetting(file, 'permissions', undefined);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ zeta: 1, model: 'new' });
});

it('makes the file with its folder, private', async () => {
  await using temp = await tempDir();
  const file = join(temp.dir, 'home', 'settings.json');
  await setSetting(file, 'theme', 'dark');
  expect(await readFile(file, 'utf8')).toBe('{\n  "theme": "dark"\n}\n');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(temp.dir, 'home'))).toEqual(['settings.json']);
});

it.each<[string, string, unknown, RegExp]>([
  ['{"a":1}', 'verbose', 'loud', /^verbose is "loud", expected true or false\. Nothing was changed\.$/],
  ['{"a":1}', 'verbsoe', true, /^verbsoe is an unknown key, expected perhaps verbose/],
  ['{"model":"x"}', 'model.name', 'y', /^model\.name lies inside something that is no object/],
  ['{"model":', 'model', 'y', /is not valid: found the end of the file at line 1.* nothing was changed/],
  ['[]', 'model', 'y', /does not hold an object/],
  ['{}', '', 'y', /^A key is needed/],
])('refuses and leaves untouched: %s %s', async (before, key, value, refusal) => {
  await using temp = await tempDir();
  const file = join(temp.dir, 'settings.json');
  await writeFile(file, before);
  expect(await setSetting(file, key, value)).toEqual({ refused: expect.stringMatching(refusal) });
  expect(await readFile(file, 'utf8')).toBe(before);
  expect(await readdir(temp.dir)).toEqual(['settings.json']);
});

it('writes through a link to the file it means', async () => {
  await using temp = await tempDir();
  await writeFile(join(temp.dir, 'real.json'), '{}');
  await symlink('real.json', join(temp.dir, 'settings.json'));
  await setSetting(join(temp.dir, 'settings.json'), 'theme', 'x');
  expect(JSON.parse(await readFile(join(temp.dir, 'real.json'), 'utf8'))).toEqual({ theme: 'x' });
});

it('rules added at the same time are all there', async () => {
  await using temp = await tempDir();
  const file = join(temp.dir, 'settings.local.json');
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => addRules(file, 'allow', [`Bash(x${index})`, 'Read'])),
  );
  const { allow } = JSON.parse(await readFile(file, 'utf8')).permissions;
  expect(new Set(allow)).toEqual(
    new Set(['Read', ...Array.from({ length: 12 }, (_, index) => `Bash(x${index})`)]),
  );
  expect(allow).toHaveLength(13);
});
