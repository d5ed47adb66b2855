import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWithin, resolveForAccess } from '../../src/permission/access.ts';
import { judge } from '../../src/permission/judge.ts';
import { diskLinks } from '../../src/permission/link-reader.ts';
import { protectedName } from '../../src/permission/protected-paths.ts';

import { ANY, meets, ONE, STAR } from '../../src/permission/wildcard.ts';
import { bash, world } from '../support/judging.ts';

describe('resolveForAccess on a real disk', () => {
  let root = '';
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-access-')));
    mkdirSync(join(root, 'proj/src'), { recursive: true });
    mkdirSync(join(root, 'out/deep'), { recursive: true });
    symlinkSync('../out/deep', join(root, 'proj/link'));
    symlinkSync('loop', join(root, 'proj/loop'));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it.each([
    ['src/new/file.ts', 'proj/src/new/file.ts', 'proj/src/new/file.ts'],
    ['link/new.ts', 'proj/link/new.ts', 'out/deep/new.ts'],
    ['link/../x', 'proj/x', 'out/x'],
    ['src/../link', 'proj/link', 'out/deep'],
    ['~/a', 'home/a', 'home/a'],
  ])('%s', (path, lexical, real) => {
    const places = { home: join(root, 'home'), readLink: diskLinks };
    expect(resolveForAccess(path, join(root, 'proj'), places)).toEqual({
      lexical: join(root, lexical),
      real: join(root, real),
    });
  });

  it('gives up on a loop without hanging, and on control characters at once', () => {
    const places = { home: root, readLink: diskLinks };
    expect(resolveForAccess('loop/x', join(root, 'proj'), places)?.lexical).toBe(join(root, 'proj/loop/x'));
    expect(resolveForAccess('a\u0000b', root, places)).toBeUndefined();
  });

  it('asks before writing through a link that leaves the workspace', () => {
    const here = world(
      { allow: ['Edit(**)'] },
      { project: join(root, 'proj'), cwd: join(root, 'proj'), readLink: diskLinks },
    );
    const answer = judge(
      { tool: 'Write', input: { file_path: join(root, 'proj/link/a.ts'), content: '' } },
      here,
    );
    expect([answer.decision, answer.reason.includes('really')]).toEqual(['ask', true]);
  });
});

describe('isWithin', () => {
  it.each([
    ['/srv/proj', '/srv/proj', true],
    ['/srv/proj/a', '/srv/proj', true],
    ['/srv/proj2', '/srv/proj', false],
    ['/srv', '/srv/proj', false],
    ['/x', '/', true],
  ])('%s in %s: %s', (path, root, answer) => {
    expect(isWithin(path, root)).toBe(answer);
  });
});

describe('meets', () => {
  it.each([
    [`a${STAR}c`, 'abc', true],
    [`a${STAR}c`, 'ab/c', false],
    [`a${ANY}c`, 'ab/c', true],
    [`a${ONE}c`, 'a/c', false],
    [`${ANY}b`, `a${ANY}`, true],
    [`a${STAR}`, `b${ANY}`, false],
    [`${STAR}/x`, `a/${ONE}`, true],
    ['same', 'same', true],
    ['same', 'other', false],
    [ANY, '', true],
  ])('%j and %j: %s', (a, b, answer) => {
    expect([meets(a, b), meets(b, a)]).toEqual([answer, answer]);
  });
});

describe('protected paths', () => {
  const workspace = { roots: ['/srv/proj'], realRoots: ['/srv/proj'] };
  it.each([
    ['/srv/proj/.git/config', '.git'],
    ['/srv/proj/sub/.GIT/hooks/x', '.GIT'],
    ['/srv/proj/.coppice/settings.json', '.coppice'],
    ['/srv/proj/.coppice/worktrees/w/src/a.ts', undefined],
    ['/srv/proj/.coppice/worktrees/w/.coppice/settings.json', '.coppice'],
    ['/srv/proj/.coppice/worktrees/w/.git', '.git'],
    ['/srv/proj/.claude/agents/x.md', '.claude'],
    ['/srv/proj/.mcp.json', '.mcp.json'],
    ['/home/u/.bashrc', '.bashrc'],
    ['/home/u/.config/git/config', '.config/git'],
    ['/srv/proj/src/git/config', undefined],
    ['/srv/proj/.github/x', undefined],
  ])('%s: %s', (path, name) => {
    expect(protectedName(path, workspace)).toBe(name);
  });

  it('judges a project below a protected name by what lies inside it', () => {
    const inside = { roots: ['/home/u/.claude/x'], realRoots: ['/home/u/.claude/x'] };
    expect(protectedName('/home/u/.claude/x/a.ts', inside)).toBeUndefined();
  });
});

describe('file rules', () => {
  const edit = (path: string, rules: Parameters<typeof world>[0], more = {}) =>
    judge({ tool: 'Edit', input: { file_path: path } }, world(rules, more)).decision;
  const read = (path: string, rules: Parameters<typeof world>[0]) =>
    judge({ tool: 'Read', input: { file_path: path } }, world(rules)).decision;
  it('anchors patterns', () => {
    expect(edit('/etc/x', { allow: ['Edit(//etc/**)'] })).toBe('allow');
    expect(edit('/home/u/n/a.md', { allow: ['Edit(~/n/**)'] })).toBe('allow');
    expect(edit('/srv/proj/a/b.ts', { allow: ['Edit(/a/*.ts)'] })).toBe('allow');
    expect(edit('/srv/proj/x/a/b.ts', { allow: ['Edit(/a/*.ts)'] })).toBe('ask');
    expect(edit('/srv/proj/x/y/b.ts', { allow: ['Edit(b.ts)'] })).toBe('allow');
    expect(edit('/srv/proj/x/b.ts', { allow: ['Edit(./b.ts)'] })).toBe('ask');
    expect(edit('/srv/proj/app/[id]/p.ts', { allow: ['Edit(app/[id]/**)'] })).toBe('allow');
    expect(edit('/srv/proj/app/i/p.ts', { allow: ['Edit(app/[id]/**)'] })).toBe('ask');
    expect(edit('/srv/proj/app/i/p.ts', { allow: ['Edit'], deny: ['Edit(app/[id]/**)'] })).toBe('deny');
  });
  it('covers what lies below a named folder', () => {
    expect(read('/srv/proj/secrets/k/a', { deny: ['Read(secrets)'] })).toBe('deny');
    expect(read('/srv/proj/a/secrets/k', { deny: ['Read(**/secrets/**)'] })).toBe('deny');
    expect(read('/srv/proj/secrets', { deny: ['Read(**/secrets/**)'] })).toBe('allow');
  });
  it('holds in worktrees below the project', () => {
    expect(read('/srv/proj/.coppice/worktrees/w/secrets/k', { deny: ['Read(secrets/**)'] })).toBe('deny');
  });
  it('asks about files outside, and lets a rule cover them', () => {
    expect(read('/etc/hosts', {})).toBe('ask');
    expect(read('/etc/hosts', { allow: ['Read(//etc/**)'] })).toBe('allow');
    expect(bash('cat /etc/hosts', { allow: ['Bash(cat *)', 'Read(//etc/**)'] }).decision).toBe('allow');
  });
  it('binds searches', () => {
    const grep = (input: object, rules: Parameters<typeof world>[0]) =>
      judge({ tool: 'Grep', input: { pattern: 'x', ...input } }, world(rules)).decision;
    expect(grep({}, {})).toBe('allow');
    expect(grep({ path: 'secrets' }, { deny: ['Read(secrets/**)'] })).toBe('deny');
    expect(grep({ glob: '.env' }, { deny: ['Read(.env)'] })).toBe('deny');
    expect(grep({ glob: '*.ts' }, { deny: ['Read(.env)'] })).toBe('allow');
    expect(grep({ path: '/etc' }, {})).toBe('ask');
    expect(judge({ tool: 'Glob', input: { pattern: '../../**/id_rsa' } }, world({})).decision).toBe('ask');
    expect(
      judge({ tool: 'Glob', input: { pattern: 'secrets/**' } }, world({ deny: ['Read(secrets/**)'] }))
        .decision,
    ).toBe('deny');
    expect(
      judge({ tool: 'Glob', input: { pattern: 'src/**/*.ts' } }, world({ deny: ['Read(secrets/**)'] }))
        .decision,
    ).toBe('allow');
  });
});
