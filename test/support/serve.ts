/**
 * `node test/support/serve.ts SCRIPT.json [PORT]`: plays a script to whoever asks, so that a person can
 * run Coppice against it. Prints what to put into the environment, then a line for each request.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { ScriptFile, serveScript } from './script-file.ts';

const [path, port] = process.argv.slice(2);
if (path === undefined) {
  console.error('Usage: node test/support/serve.ts SCRIPT.json [PORT]');
  process.exit(2);
}
const script = ScriptFile.safeParse(JSON.parse(readFileSync(path, 'utf8')));
if (!script.success) {
  console.error(`${path} is not a script.\n${z.prettifyError(script.error)}`);
  process.exit(2);
}

const server = await serveScript(script.data, { port: port === undefined ? 0 : Number(port) });
console.log(`ANTHROPIC_BASE_URL=${server.url} ANTHROPIC_API_KEY=sk-test`);
let told = 0;
for (let count = 1; ; count++) {
  const { body, prompt, results } = await server.waitForRequests(count, 2 ** 31 - 1);
  console.log(`${count}. ${body.model}: ${JSON.stringify(prompt || results).slice(0, 200)}`);
  for (const violation of server.violations.slice(told)) console.log(`   refused: ${violation}`);
  told = server.violations.length;
}
