/** Every check that is not a test, one line each; what a failing one printed follows its line. Two run at a time. */
import './node-version.mjs';
import { spawn } from 'node:child_process';

const CHECKS = ['types', 'lint', 'arch', 'unused', 'sizes', 'spec'];
const ALWAYS_SHOWN = ['spec'];

const started = performance.now();
const waiting = [...CHECKS];
const failed = [];
await Promise.all([worker(), worker()]);

const seconds = ((performance.now() - started) / 1000).toFixed(1);
process.stdout.write(
  `${CHECKS.length - failed.length} checks passed, ${failed.length} failed, in ${seconds} s\n`,
);
process.exit(failed.length > 0 ? 1 : 0);

async function worker() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const { code, output } = await run(name);
    process.stdout.write(`${code === 0 ? '✓' : '✗'} ${name}\n`);
    if (code !== 0) failed.push(name);
    if (code !== 0 || ALWAYS_SHOWN.includes(name)) process.stdout.write(output.replace(/^(?=.)/gm, '  '));
  }
}

function run(name) {
  const child = spawn('npm', ['run', '--silent', name], { shell: process.platform === 'win32' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((done) => child.on('close', (code) => done({ code, output })));
}
