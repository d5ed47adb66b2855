/** `spawn.js N`: runs `bash -c true` N times, one after the other, and prints the milliseconds each took. */
import { spawn } from 'node:child_process';

const times: number[] = [];
for (let count = Number(process.argv[2]); count > 0; count--) {
  const began = performance.now();
  await new Promise((resolve) => spawn('bash', ['-c', 'true'], { stdio: 'pipe' }).once('close', resolve));
  times.push(performance.now() - began);
}
console.log(JSON.stringify(times));
