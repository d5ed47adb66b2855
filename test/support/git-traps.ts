import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TempRepo } from './repo.ts';

/** A program that leaves a trace when it is run. */
export interface Canary {
  readonly command: string;
  readonly sang: () => boolean;
  readonly hush: () => void;
}

export const canary = (repo: TempRepo): Canary => {
  const script = join(repo.tmp, 'canary.sh');
  const trace = join(repo.tmp, 'sang');
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> ${trace}\n[ "$1" = stop ] && exit 1\ncat\nexit 0\n`);
  chmodSync(script, 0o755);
  return {
    command: script,
    sang: () => existsSync(trace),
    hush: () => rmSync(trace, { force: true }),
  };
};

/** A repository whose configuration starts a program, and what a person would type to start it. */
export interface Trap {
  readonly name: string;
  readonly lay: (repo: TempRepo, command: string) => Promise<unknown>;
  readonly sings: string;
}

const HOOKS = [
  'post-checkout',
  'reference-transaction',
  'post-index-change',
  'pre-commit',
  'pre-auto-gc',
  'post-merge',
  'fsmonitor-watchman',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'pre-merge-commit',
];

const hooksIn = (folder: string, command: string): void => {
  mkdirSync(folder, { recursive: true });
  for (const hook of HOOKS) {
    writeFileSync(join(folder, hook), `#!/bin/sh\nexec ${command} ${hook}\n`);
    chmodSync(join(folder, hook), 0o755);
  }
};

const attributes = async (repo: TempRepo, text: string): Promise<void> => {
  await repo.write('.gitattributes', text);
  await repo.git('add', '.gitattributes');
  await repo.git('-c', 'core.hooksPath=/dev/null', 'commit', '-qm', 'attributes');
};

/** HEAD becomes a commit that claims to be signed. */
const signed = async (repo: TempRepo): Promise<void> => {
  const [tree, head] = [await repo.git('write-tree'), await repo.git('rev-parse', 'HEAD')];
  const who = 'T <t@example.com> 1700000000 +0000';
  const text = `tree ${tree}\nparent ${head}\nauthor ${who}\ncommitter ${who}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEz\n -----END PGP SIGNATURE-----\n\nsigned\n`;
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  const id = execFileSync('git', args, { cwd: repo.path, env: repo.env, input: text }).toString().trim();
  await repo.git('reset', '-q', '--hard', id);
};

/** A submodule `sub` with changes, whose own configuration is `keys`. */
const submodule = async (repo: TempRepo, keys: Readonly<Record<string, string>>): Promise<void> => {
  const upstream = join(repo.tmp, 'upstream');
  await repo.git('clone', '-q', '.', upstream);
  await repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', upstream, 'sub');
  await repo.git('config', '-f', '.gitmodules', 'submodule.sub.ignore', 'none');
  await repo.git('add', '-A');
  await repo.git('commit', '-qm', 'A submodule');
  await repo.write('sub/README.md', '# Changed\n');
  await repo.git('-C', 'sub', '-c', 'user.name=T', '-c', 'user.email=t@e.com', 'commit', '-qam', 'Changed');
  await repo.write('.git/modules/sub/info/attributes', '* filter=x diff=x\n');
  for (const [key, value] of Object.entries(keys)) await repo.git('-C', 'sub', 'config', key, value);
  await repo.write('sub/README.md', '# Chamged\n');
};

const lines = (settings: (command: string) => Readonly<Record<string, string>>): Trap['lay'] =>
  async function lay(repo, command) {
    for (const [key, value] of Object.entries(settings(command))) await repo.git('config', key, value);
  };

/** Everything by which a repository can have a program started while others look at it or work in it. */
export const TRAPS: readonly Trap[] = [
  {
    name: 'hooks',
    lay: async (repo, command) => hooksIn(join(repo.path, '.git/hooks'), command),
    sings: 'git worktree add -q ../plain',
  },
  {
    name: 'a hooks path in the work tree',
    lay: async (repo, command) => {
      hooksIn(join(repo.path, 'hooks'), command);
      await repo.git('config', 'core.hooksPath', 'hooks');
    },
    sings: 'git checkout -q -b plain',
  },
  { name: 'fsmonitor', lay: lines((command) => ({ 'core.fsmonitor': command })), sings: 'git status' },
  {
    name: 'a pager',
    lay: lines((command) => ({ 'core.pager': command, 'pager.log': command, 'pager.diff': command })),
    sings: 'script -qec "git log" /dev/null',
  },
  {
    name: 'clean and smudge filters',
    lay: async (repo, command) => {
      await attributes(repo, '* filter=Evil.One\n');
      await repo.git('config', 'filter.Evil.One.smudge', command);
      await repo.git('config', 'filter.Evil.One.clean', command);
    },
    sings: 'echo x > README.md; git diff',
  },
  {
    name: 'filters whose name holds an equals sign',
    lay: async (repo, command) => {
      await attributes(repo, '* filter=a=b\n');
      await repo.git('config', 'filter.a=b.smudge', command);
      await repo.git('config', 'filter.a=b.clean', command);
    },
    sings: 'echo x > README.md; git diff',
  },
  {
    name: 'a required process filter',
    lay: async (repo, command) => {
      await attributes(repo, '* filter=long\n');
      await repo.git('config', 'filter.long.process', command);
      await repo.git('config', 'filter.long.required', 'true');
    },
    sings: 'echo x > README.md; timeout 5 git diff',
  },
  {
    name: 'filters in an included file',
    lay: async (repo, command) => {
      await attributes(repo, '* filter=inc\n');
      await repo.write('.git/more', `[filter "inc"]\n\tsmudge = ${command}\n\tclean = ${command}\n`);
      await repo.git('config', 'include.path', 'more');
    },
    sings: 'echo x > README.md; git diff',
  },
  {
    name: 'filters of the worktree config',
    lay: async (repo, command) => {
      await attributes(repo, '* filter=own\n');
      await repo.git('config', 'extensions.worktreeConfig', 'true');
      await repo.git('config', '--worktree', 'filter.own.smudge', command);
      await repo.git('config', '--worktree', 'filter.own.clean', command);
    },
    sings: 'echo x > README.md; git diff',
  },
  {
    name: 'aliases',
    lay: async (repo, command) => {
      for (const verb of ['status', 'worktree', 'log', 'diff', 'rev-parse', 'stash', 'zz'])
        await repo.git('config', `alias.${verb}`, `!${command}`);
    },
    sings: 'git zz',
  },
  {
    name: 'an external diff and textconv',
    lay: async (repo, command) => {
      await attributes(repo, '* diff=ext\n');
      await repo.git('config', 'diff.external', command);
      await repo.git('config', 'diff.ext.command', command);
      await repo.git('config', 'diff.ext.textconv', command);
    },
    sings: 'echo x > README.md; git diff',
  },
  {
    name: 'ssh, askpass and credentials of a promisor remote',
    lay: lines((command) => ({
      'core.sshCommand': command,
      'core.askPass': command,
      'core.gitProxy': command,
      'credential.helper': `!${command}`,
      'core.repositoryformatversion': '1',
      'extensions.partialClone': 'origin',
      'remote.origin.url': `ext::${command} stop`,
      'remote.origin.uploadpack': command,
      'remote.origin.promisor': 'true',
      'protocol.ext.allow': 'always',
    })),
    sings: 'git fetch',
  },
  {
    name: 'an editor, and a signature for each commit',
    lay: lines((command) => ({
      'gpg.program': command,
      'commit.gpgSign': 'true',
      'core.editor': command,
      'sequence.editor': command,
      'log.showSignature': 'true',
    })),
    sings: 'git commit --allow-empty',
  },
  {
    name: 'signatures that a format asks for',
    lay: async (repo, command) => {
      await signed(repo);
      await repo.git('config', 'gpg.program', command);
      await repo.git('config', 'gpg.openpgp.program', command);
      await repo.git('config', 'format.pretty', '%G? %s');
    },
    sings: 'git log',
  },
  {
    name: 'options for every merge',
    lay: lines((command) => ({
      'gpg.program': command,
      'core.editor': command,
      'branch.main.mergeoptions': '--gpg-sign=x --edit --no-ff',
    })),
    sings: 'git merge --no-ff $(git commit-tree -p HEAD -m x HEAD^{tree})',
  },
  {
    name: 'a merge driver',
    lay: async (repo, command) => {
      await attributes(repo, '* merge=evil\n');
      await repo.git('config', 'merge.default', 'evil');
      await repo.git('config', 'merge.evil.driver', `${command} %A`);
    },
    sings:
      'git checkout -qb o; echo x >> README.md; git commit -qam x; git checkout -q main; echo y >> README.md; git commit -qam y; git merge o',
  },
  {
    name: 'filters of a submodule',
    lay: (repo, command) => submodule(repo, { 'filter.x.clean': command, 'filter.x.smudge': command }),
    sings: 'git status',
  },
  {
    name: 'fsmonitor of a submodule',
    lay: (repo, command) => submodule(repo, { 'core.fsmonitor': command }),
    sings: 'git status',
  },
  {
    name: 'the differences of a submodule',
    lay: async (repo, command) => {
      await submodule(repo, { 'diff.x.textconv': command, 'diff.external': command });
      await repo.git('config', 'diff.submodule', 'diff');
      await repo.git('config', 'status.submoduleSummary', 'true');
    },
    sings: 'git diff',
  },
];
