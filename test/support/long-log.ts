/** Keeps what the last whole run of each file of the long ring gave: a text beside them that is committed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

const HEAD = `What the last run of each file of the long ring gave (\`npm run test:long\`). Written by the run itself; a file that is
run in part or alone leaves the others as they were. A load above the number of processors means a busy machine.
`;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** No path of a machine stands in a file of the repository. */
const withoutPaths = (text: string): string =>
  text.replaceAll(/(?<![\w.])\/[\w@.~-]+(?:\/[\w@.~-]+)+/g, 'PATH');

const firstLine = (text: string): string => withoutPaths(text.split('\n')[0] ?? '').slice(0, 200);

const linesOf = (test: TestCase): readonly string[] => {
  const { state, errors = [] } = test.result();
  const said = test.annotations().map(({ message }) => `      ${firstLine(message)}`);
  const wrong = errors.map(({ message }) => `      ${firstLine(message)}`);
  const mark = state === 'passed' ? '✓' : '✗';
  return [`  ${mark} ${test.fullName} (${seconds(test.diagnostic()?.duration ?? 0)})`, ...said, ...wrong];
};

/** One file's part of the log; undefined where a part of it was left out or it could not be loaded. */
const partOf = (file: TestModule, where: string): string | undefined => {
  const tests = [...file.children.allTests()];
  if (tests.length === 0 || tests.some((test) => test.result().state === 'skipped')) return undefined;
  const took = tests.reduce((sum, test) => sum + (test.diagnostic()?.duration ?? 0), 0);
  const passed = tests.filter((test) => test.result().state === 'passed').length;
  return [
    `${file.relativeModuleId}: ${passed} passed, ${tests.length - passed} failed, ${seconds(took)}`,
    `  ${where}`,
    ...tests.flatMap(linesOf),
    '',
  ].join('\n');
};

const load = (): string => (loadavg()[0] ?? 0).toFixed(1);

/** `root` is the checkout, `log` a file in it. */
export const longLog = (root: string, log: string): Reporter => {
  let before = load();
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  return {
    onTestRunStart() {
      before = load();
    },
    onTestModuleEnd(file) {
      const changed =
        git('status', '--porcelain', '--', ':!test/long/last-run.txt') === '' ? '' : ' with changes';
      const where = [
        `${new Date().toISOString().slice(0, 16)}Z`,
        `commit ${git('rev-parse', '--short', 'HEAD')}${changed}`,
        `${availableParallelism()} processors`,
        `load ${before} to ${load()}`,
        `Node ${process.version}`,
      ].join(', ');
      before = load();
      const part = partOf(file, where);
      if (part === undefined) return;
      const path = join(root, log);
      const kept = existsSync(path)
        ? readFileSync(path, 'utf8')
            .split(/^(?=test\/)/m)
            .slice(1)
        : [];
      const parts = [...kept.filter((one) => !one.startsWith(`${file.relativeModuleId}:`)), `${part}\n`];
      const text = parts.map((one) => one.trimEnd()).toSorted();
      writeFileSync(path, `${HEAD}\n${text.join('\n\n')}\n`);
    },
  };
};
