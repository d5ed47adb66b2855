import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A small repository and an empty home in which floors and Coppice run. */
export interface Place extends Disposable {
  readonly repository: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  write(path: string, content: string): void;
  /** What is gone already is fine. */
  remove(path: string): void;
}

/** The repository is trusted beforehand: a question at the start would be measured otherwise. */
export const place = (url: string): Place => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-bench-')));
  const [repository, home] = [join(root, 'project'), join(root, 'home')];
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(root, path), content);
  };
  const env = {
    HOME: home,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    TMPDIR: root,
    XDG_CACHE_HOME: join(root, 'cache'),
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-bench',
    COPPICE_TRUST: '1',
  };
  write(
    'home/.gitconfig',
    '[user]\n\tname = Bench\n\temail = bench@example.com\n[init]\n\tdefaultBranch = main\n',
  );
  write('project/README.md', '# Sample\n');
  for (let file = 0; file < 50; file++)
    write(`project/src/part-${file}.ts`, `export const part${file} = ${file};\n`.repeat(40));
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'Begin'],
  ])
    execFileSync('git', args, { cwd: repository, env });
  return {
    repository,
    home,
    env,
    write,
    remove: (path) => rmSync(join(root, path), { recursive: true, force: true, maxRetries: 5 }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
};
