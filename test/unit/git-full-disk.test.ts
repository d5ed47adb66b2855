import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TempRepo, tempRepo } from '../support/repo.ts';
import { worktreeBench, worktreePath } from '../support/worktree-bench.ts';

const isRoot = process.getuid?.() === 0;

/** A clone on a disk of three megabytes, which can be filled but for some bytes; undefined where nobody may mount. */
const smallDisk = async (repo: TempRepo) => {
  const disk = join(repo.tmp, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const path = join(disk, 'project');
  await repo.git('clone', '-q', '.', path);
  const filler = join(disk, 'filler');
  return {
    path,
    fill(free: number) {
      let size = 0;
      try {
        for (; ; size += 4096) appendFileSync(filler, Buffer.alloc(4096));
      } catch {
        truncateSync(filler, Math.max(0, size - free));
      }
    },
    empty: () => rmSync(filler, { force: true }),
    [Symbol.dispose]: () => execFileSync('umount', ['-l', disk]),
  };
};

const inside = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

test.runIf(isRoot)(
  'on a full disk no worktree is made, and it is made once there is room',
  async (context) => {
    await using repo = await tempRepo();
    using disk = await smallDisk(repo);
    if (!disk) return context.skip('this machine lets nobody mount');
    const service = worktreeBench(repo.env);
    const before = await repo.git('-C', disk.path, 'for-each-ref');
    for (const free of [0, 8_192, 16_384, 24_576]) {
      disk.fill(free);
      const made = await service.open(disk.path, { name: 'w', owner: 'test' });
      expect([free, 'refused' in made && made.refused]).toEqual([
        free,
        expect.stringMatching(/no space left|could ?n.t (write|lock)|could not write|No space left/i),
      ]);
      disk.empty();
      expect(await repo.git('-C', disk.path, 'for-each-ref')).toBe(before);
      expect(inside(join(disk.path, '.git/coppice')).filter((name) => name !== 'w.creating')).toEqual([]);
    }
    expect(await service.open(disk.path, { name: 'w', owner: 'test' })).toMatchObject({ reopened: false });
  },
);

test.runIf(isRoot)('what cannot be saved on a full disk is not removed', async (context) => {
  await using repo = await tempRepo();
  using disk = await smallDisk(repo);
  if (!disk) return context.skip('this machine lets nobody mount');
  const service = worktreeBench(repo.env);
  await service.open(disk.path, { name: 'w', owner: 'test' });
  const path = worktreePath(disk, 'w');
  const file = join(path, 'new.bin');
  writeFileSync(file, randomBytes(200_000));
  for (const free of [8_192, 65_536, 131_072, 204_800]) {
    disk.fill(free);
    const removed = await service.remove(path, { rescue: true });
    expect([free, 'refused' in removed && removed.refused, existsSync(file)]).toEqual([
      free,
      expect.stringContaining('was left as it is, because its work could not be saved'),
      true,
    ]);
    disk.empty();
  }
  expect(await service.survey(path)).toMatchObject({ untracked: ['new.bin'] });
  const removed = await service.remove(path, { rescue: true });
  const id = 'rescue' in removed ? (removed.rescue?.id ?? '') : '';
  disk.fill(65_536);
  expect(await service.restoreRescue(disk.path, id)).toMatchObject({ refused: expect.any(String) });
  disk.empty();
  const restored = await service.restoreRescue(disk.path, id);
  expect('path' in restored && inside(restored.path)).toContain('new.bin');
});
