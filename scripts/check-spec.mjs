/**
 * Holds test/spec.md to its word. Its tables list every statement of the specification:
 * `| statement | status | test |`, where a status is `built` or `not yet built` and a test is
 * `path/of.test.ts: name of the test`, several parted by `<br>`. A built statement must name tests that exist.
 */
import { existsSync, readFileSync } from 'node:fs';

const faults = [];
const count = { built: 0, 'not yet built': 0 };
for (const [index, line] of readFileSync('test/spec.md', 'utf8').split('\n').entries()) {
  const cells = line.startsWith('|')
    ? line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim())
    : [];
  if (cells.length === 0 || cells[0] === 'statement' || /^:?-+/.test(cells[0])) continue;
  const fault = (text) => faults.push(`test/spec.md:${index + 1}: ${text}`);
  const [statement, status, tests, ...more] = cells;
  if (tests === undefined || more.length > 0) fault('a row has three cells: statement, status, test');
  else if (!(status in count)) fault(`"${status}" is no status of "${statement}"`);
  else {
    count[status] += 1;
    if (status === 'built' && tests === '') fault(`"${statement}" is said to be built and names no test`);
    for (const test of tests.split('<br>').filter(Boolean)) checkTest(test.trim().replaceAll('`', ''), fault);
  }
}
for (const text of faults) process.stdout.write(`${text}\n`);
process.stdout.write(
  `${count.built} statements of the specification are built and tested, ${count['not yet built']} are not yet built.\n`,
);
if (faults.length > 0) process.exit(1);

function checkTest(reference, fault) {
  const [path, ...rest] = reference.split(': ');
  const name = rest.join(': ').trim();
  if (!existsSync(path)) fault(`there is no ${path}`);
  else if (name === '') fault(`${path} is named without a test in it`);
  else if (!plain(readFileSync(path, 'utf8')).includes(plain(name))) fault(`${path} has no test "${name}"`);
}

/** Quotes may be escaped in the one place and not in the other. */
function plain(text) {
  return text.replaceAll(/[\\`'"]/g, '');
}
