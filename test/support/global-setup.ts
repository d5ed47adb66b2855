import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const scripts = join(import.meta.dirname, '..', '..', 'scripts');

const GITCONFIG = `[user]
	name = Test
	email = test@example.com
[init]
	defaultBranch = main
[gc]
	auto = 0
[commit]
	gpgsign = false
`;

/** End-to-end tests run the built program: build it when it is older than its sources, and clean up at the end. */
export default async function setup(project: TestProject): Promise<() => void> {
  const { isStale } = await import(join(scripts, 'stale.mjs'));
  if (isStale())
    execFileSync(process.execPath, [join(scripts, 'build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const { HOME, TMPDIR } = project.config.env;
  if (HOME === undefined || TMPDIR === undefined) throw new Error('vitest.shared.ts gives the tests a home.');
  mkdirSync(TMPDIR, { recursive: true });
  writeFileSync(join(HOME, '.gitconfig'), GITCONFIG);
  return () => rmSync(HOME, { recursive: true, force: true });
}
