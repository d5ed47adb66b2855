import { expect, test } from 'vitest';
import type { PermissionWorld } from '../../src/contract/permission.ts';
import { outsideCheckout } from '../../src/permission/outside-checkout.ts';

const MAIN = '/srv/proj';
const TREE = `${MAIN}/.coppice/worktrees/w`;
const world: PermissionWorld = {
  rules: [],
  mode: 'bypassPermissions',
  cwd: TREE,
  home: '/home/u',
  project: TREE,
  directories: [],
  gitReadOnly: true,
  planFile: `${MAIN}/plans/p.md`,
  readLink: (path) => (path === `${TREE}/out` ? MAIN : undefined),
};
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const write = (file_path: string) => ({ tool: 'Write', input: { file_path } });

test.each([
  ['a file of the main checkout', write(`${MAIN}/a.ts`)],
  ['a file of another worktree', write(`${MAIN}/.coppice/worktrees/other/a.ts`)],
  ['a way up', write('../../../a.ts')],
  ['a way through a link', write('out/a.ts')],
  ['an edit', { tool: 'Edit', input: { file_path: `${MAIN}/a.ts` } }],
  ['a redirection', bash(`echo x > ${MAIN}/a.ts`)],
  ['a copy', bash(`cp a.ts ${MAIN}/b.ts`)],
  ['a removal', bash(`rm -rf ${MAIN}/src`)],
  ['a change of directory', bash(`cd ${MAIN} && npm install`)],
  ['git elsewhere', bash(`git -C ${MAIN} commit -am x`)],
  ['git with a work tree', bash(`git --work-tree=${MAIN} reset --hard`)],
  ['something deep in a script', bash(`if true; then (cd ${MAIN}; make); fi`)],
  ['a shell in a shell', bash(`bash -c 'cd ${MAIN} && touch x'`)],
])('%s is seen as aimed at the main checkout', (_, call) => {
  expect(outsideCheckout(call, world, MAIN)).toMatch(/^\/srv\/proj/);
});

test.each([
  ['a file of the worktree', write('src/a.ts')],
  ['the plan file', write(`${MAIN}/plans/p.md`)],
  ['a file far away', write('/tmp/x')],
  ['reading the main checkout', bash(`cat ${MAIN}/a.ts; ls ${MAIN}; git -C ${MAIN} log`)],
  ['searching it', { tool: 'Grep', input: { pattern: 'x', path: MAIN } }],
  ['work in the worktree', bash('npm test && git commit -am x && echo done > log.txt')],
  ['a change of directory within', bash('cd src && make')],
])('%s is not', (_, call) => {
  expect(outsideCheckout(call, world, MAIN)).toBeUndefined();
});
