import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const scripts = join(import.meta.dirname, '..', '..', 'scripts');

/** End-to-end tests run the built program: build it when it is older than its sources, and clean up at the end. */
export default async function setup(project: TestProject): Promise<() => void> {
  const { isStale } = await import(join(scripts, 'stale.mjs'));
  if (isStale())
    execFileSync(process.execPath, [join(scripts, 'build.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const home = project.config.env.HOME;
  return () => {
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
  };
}
