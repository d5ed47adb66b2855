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
  readLink: (path) => (path === `${TREE}/out` ? MAIN : path === `${TREE}/lib` ? `${MAIN}/lib` : undefined),
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
  ['an operand of a program that is not known', bash(`prettier --write ${MAIN}/a.ts`)],
  ['a way up for such a program', bash('prettier --write ../../../a.ts')],
  ['a way up in the middle of a path', bash('prettier --write src/../../../../a.ts')],
  ['the value of an option', bash(`npm --prefix ${MAIN} run x`)],
  ['the value of an option after =', bash(`npm --prefix=${MAIN} run x`)],
  ['the value of a short option', bash(`ninja -C${MAIN}/out`)],
  ['make elsewhere', bash(`make -C ${MAIN}`)],
  ['a setting of make', bash(`make install DESTDIR=${MAIN}/out`)],
  ['a variable before a command', bash(`OUT=${MAIN}/out ./build.sh`)],
  ['git by variables', bash(`GIT_DIR=${MAIN}/.git GIT_WORK_TREE=${MAIN} git reset --hard`)],
  ['sed through a variable', bash(`F=${MAIN}/a.ts; sed -i s/a/b/ $F`)],
  ['a program through a variable', bash(`F=${MAIN}; prettier --write "$F/a.ts"`)],
  ['an exported variable', bash(`export F=${MAIN} && prettier --write $F/a.ts`)],
  ['a loop over its files', bash(`for f in ${MAIN}/src/*.ts; do sed -i s/a/b/ $f; done`)],
  ['names that a pattern finds there', bash(`rm -rf ${MAIN}/src/*`)],
  ['such names for a program that is not known', bash(`prettier --write ${MAIN}/src/*.ts`)],
  ['a program through a runner', bash(`npx prettier --write ${MAIN}/a.ts`)],
  ['a program behind others', bash(`env CI=1 timeout 5 prettier --write ${MAIN}/a.ts`)],
  ['a script of it', bash(`bash ${MAIN}/scripts/deploy.sh`)],
  ['a program of it', bash(`${MAIN}/scripts/deploy.sh`)],
  ['a script in the text', bash(`bash <<'END'\nprettier --write ${MAIN}/a.ts\nEND`)],
  ['program text that writes', bash(`node -e "require('fs').writeFileSync('${MAIN}/a.ts', '')"`)],
  ['program text from a heredoc', bash(`python3 - <<'END'\nopen("${MAIN}/a.ts", "w").write("x")\nEND`)],
  ['perl in place', bash(`perl -pi -e 's/a/b/' ${MAIN}/a.ts`)],
  ['find that deletes', bash(`find ${MAIN} -name '*.ts' -delete`)],
  ['find that runs something', bash(`find ${MAIN}/src -name '*.ts' -exec sed -i s/a/b/ {} +`)],
  ['what find lists for another', bash(`find ${MAIN}/src -name '*.ts' | xargs sed -i s/a/b/`)],
  ['unpacking', bash(`tar xzf a.tgz -C ${MAIN}`)],
  ['a volume', bash(`docker run -v ${MAIN}:/src builder`)],
  ['another worktree that git would remove', bash(`git worktree remove ${MAIN}/.coppice/worktrees/other`)],
  ['a patch', bash(`patch -d ${MAIN} -p1 -i x.patch`)],
  ['an interpreter with a file as operand', bash(`node fix.mjs ${MAIN}/a.ts`)],
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
  ['reading behind other programs', bash(`timeout 5 cat ${MAIN}/a.ts; env LC_ALL=C wc -l ${MAIN}/a.ts`)],
  ['comparing with it', bash(`diff -ru ${MAIN}/src src; cmp ${MAIN}/a.ts a.ts`)],
  ['searching it', bash(`grep -rn x ${MAIN}/src | head; rg x ${MAIN}; find ${MAIN} -name '*.ts'`)],
  ['what find lists for a reader', bash(`find ${MAIN}/src -name '*.ts' | xargs grep -n x`)],
  ['a reader that find runs', bash(`find ${MAIN}/src -name '*.ts' -exec grep -n x {} +`)],
  ['copying from it', bash(`cp ${MAIN}/.env .env && cp -r ${MAIN}/fixtures test/`)],
  ['packing it', bash(`tar czf /tmp/a.tgz -C ${MAIN} src`)],
  [
    'its installed programs',
    bash(`${MAIN}/node_modules/.bin/vitest run; node ${MAIN}/node_modules/x/cli.js`),
  ],
  ['linking its installed packages', bash(`ln -s ${MAIN}/node_modules node_modules`)],
  ['packages that are linked to it', bash('node node_modules/x/cli.js && lib/tool --fix src')],
  ['a search path', bash(`PATH=${MAIN}/bin:$PATH npm test`)],
  ['program text that reads', bash(`node -p "require('${MAIN}/package.json').version"`)],
  ['words about it', bash(`git commit -m "Moved from ${MAIN}/a.ts" && echo ${MAIN}/a.ts`)],
  ['fetching from it', bash(`git fetch ${MAIN} main && git merge FETCH_HEAD`)],
  ['an address', bash('curl -s https://example.org/srv/proj/a.ts -o a.ts')],
  ['the worktree by its whole path', bash(`prettier --write ${TREE}/a.ts && make -C ${TREE}/src`)],
  ['a file far away for a program that is not known', bash('prettier --write /tmp/a.ts ../w/a.ts')],
])('%s is not', (_, call) => {
  expect(outsideCheckout(call, world, MAIN)).toBeUndefined();
});
