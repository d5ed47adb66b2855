/** Commits of submodules that exist nowhere else go along with a rescue. */
import type { Examined } from './examine.ts';
import type { Git } from './git.ts';
import { durable } from './objects.ts';
import type { RescueRecord } from './rescue-record.ts';
import { GitFailed, startGit } from './run.ts';

/** Brings the objects of a submodule's own commits into this repository. */
export const saveSubmodules = async (
  git: Git,
  found: Examined,
): Promise<readonly RescueRecord['submodules'][number][]> => {
  const saved: RescueRecord['submodules'][number][] = [];
  for (const one of found.submodules) {
    if (one.tips.length > 0) {
      await pack(one.git, git, one.tips);
      saved.push({ path: one.prefix, tips: [...one.tips] });
    }
    saved.push(...(await saveSubmodules(git, one)));
  }
  return saved;
};

const pack = (from: Git, to: Git, tips: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const out = startGit(from.program, from.cwd, ['pack-objects', '--revs', '--stdout', '-q'], {
      config: from.config,
    });
    const into = startGit(to.program, to.cwd, [...durable, 'index-pack', '--stdin', '--fix-thin'], {
      config: to.config,
    });
    out.stdin?.on('error', () => undefined);
    into.stdin?.on('error', () => undefined);
    out.stdin?.end(`${tips.join('\n')}\n`);
    if (out.stdout && into.stdin) out.stdout.pipe(into.stdin);
    into.stdout?.resume();
    const failed = (what: string) =>
      reject(new GitFailed(`The commits of the submodule ${from.cwd} could not be saved: ${what}.`, 1));
    let good = 0;
    for (const child of [out, into]) {
      child.stderr?.resume();
      child.on('error', (error) => failed(error.message));
      child.on('close', (code) => {
        if (code !== 0) failed(`git ended with code ${code}`);
        else if (++good === 2) resolve();
      });
    }
  });
