import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findGit } from '../../src/git/run.ts';
import type { Environment, TempRepo } from './repo.ts';

/** Puts a bash script in the place of git on PATH; in it `$GIT` is git itself, which carries the tag. Answers the environment. */
export const shimGit = (repo: TempRepo, script: string): Environment => {
  const real = findGit(repo.env, [])?.binary;
  if (!real) throw new Error('git is not on PATH.');
  const bin = join(repo.tmp, 'shim');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'git'), `#!/bin/bash\nGIT=${real}\nexport RUN_TAG=${repo.tag}\n${script}\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return { ...repo.env, PATH: [bin, repo.env.PATH].join(delimiter) };
};
