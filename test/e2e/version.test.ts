import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(root, 'bin', 'coppice.js'),
    '--version',
  ]);
  expect(stdout).toBe(`${version}\n`);
});
