/** `coppice worktree list` and `coppice worktree rescue list|show|restore` (ruling 56). */
import { bytesText, counted, type Rescue, type Worktrees } from '../../contract/worktree.ts';
import type { Host } from '../host.ts';
import type { Finish, Subcommand } from './place.ts';

interface Flags {
  readonly json?: boolean;
  readonly to?: string;
}

const serviceHere = async (host: Host): Promise<{ readonly service: Worktrees; readonly cwd: string }> => {
  const { placeOf } = await import('./place.ts');
  const { worktreeService } = await import('../worktrees-here.ts');
  const place = await placeOf(host);
  return {
    service: worktreeService({ host, project: place.project, settings: () => place.loaded.settings }),
    cwd: place.cwd,
  };
};

const rescueLine = ({ id, branch, createdAt, files, commits, stashes }: Rescue): string =>
  `${id}  ${branch ?? '(detached)'}  ${createdAt.slice(0, 16).replace('T', ' ')}  ${counted(files.length, 'file')}, ${counted(commits, 'commit')}${stashes > 0 ? `, ${counted(stashes, 'stash', 'stashes')}` : ''}`;

/** Prints what was asked for, or why not. */
const answer = <T extends object>(
  host: Host,
  finish: Finish,
  flags: Flags,
  found: T | { readonly refused: string },
  text: (found: T) => string,
): void => {
  if ('refused' in found) {
    host.tell(`coppice: ${found.refused}\n`);
    finish(1);
    return;
  }
  host.print(`${flags.json ? JSON.stringify(found, undefined, 2) : text(found)}\n`);
  finish(0);
};

export const worktreeCommand: Subcommand = (program, host, finish) => {
  const worktree = program
    .command('worktree')
    .description('worktrees of this repository, and work saved from removed ones');
  worktree
    .command('list', { isDefault: true })
    .description('list them with owner, age, size and what they hold')
    .option('--json', 'as a JSON array')
    .action(async (flags: Flags) => {
      const { service, cwd } = await serviceHere(host);
      answer(host, finish, flags, await service.list(cwd), (rows) =>
        rows.length === 0
          ? 'There are no worktrees.'
          : rows
              .map(
                (row) =>
                  `${row.name}  ${row.branch ?? '(detached)'}  ${row.state}: ${row.holds}${row.owner ? `  used by ${row.owner}` : ''}${row.bytes === null ? '' : `  ${bytesText(row.bytes)}`}\n  ${row.path}`,
              )
              .join('\n'),
      );
    });
  const rescue = worktree
    .command('rescue')
    .description('work that was saved when a worktree was removed; kept for 30 days');
  rescue
    .command('list', { isDefault: true })
    .description('list what was saved')
    .option('--json', 'as a JSON array')
    .action(async (flags: Flags) => {
      const { service, cwd } = await serviceHere(host);
      answer(host, finish, flags, await service.rescues(cwd), (all) =>
        all.length === 0 ? 'Nothing was saved.' : all.map(rescueLine).join('\n'),
      );
    });
  rescue
    .command('show')
    .argument('<id>')
    .description('show what a rescue holds')
    .option('--json', 'as JSON')
    .action(async (id: string, flags: Flags) => {
      const { service, cwd } = await serviceHere(host);
      const found = await service.showRescue(cwd, id);
      answer(host, finish, flags, 'refused' in found ? found : flags.json ? found.rescue : found, (one) =>
        'text' in one ? String(one.text) : '',
      );
    });
  rescue
    .command('restore')
    .argument('<id>')
    .description('bring it back as a new worktree; never over existing files')
    .option('--to <dir>', 'where to')
    .option('--json', 'as JSON')
    .action(async (id: string, flags: Flags) => {
      const { service, cwd } = await serviceHere(host);
      answer(
        host,
        finish,
        flags,
        await service.restoreRescue(cwd, id, flags.to),
        (done) =>
          `Restored ${done.files} ${done.files === 1 ? 'file' : 'files'} to ${done.path}${done.branch ? ` on branch ${done.branch}` : ''}.`,
      );
    });
};
