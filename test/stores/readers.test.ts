import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { fileTranscripts } from '../../src/store/transcripts.ts';
import { answered, entry, newSession, said, tempHome } from './entries.ts';
import { facts, project, record, turns } from './recording.ts';

const run = promisify(execFile);

it('a public cost reader counts our tokens, those of sub-agents too', async () => {
  await using temp = await tempHome();
  const store = fileTranscripts(temp.home, '0.1.0');
  const root = newSession();
  await record(store, root, [...turns(6), entry({ type: 'title', title: 'T', byPerson: false })]);
  const child = await store.open(newSession(), project, { root, name: 'a1' });
  if (!('append' in child)) throw new Error('refused');
  await child.append(said('look'), facts);
  await child.append(answered('seen', 'msg_child'), facts);
  await child.close();
  const tool = join(import.meta.dirname, '../../node_modules/ccusage/dist/index.js');
  const env = { ...process.env, HOME: dirname(temp.home), CLAUDE_CONFIG_DIR: temp.home };
  const { stdout } = await run(process.execPath, [tool, 'daily', '--json', '--offline'], { env });
  expect(JSON.parse(stdout).totals).toMatchObject({
    inputTokens: 70,
    outputTokens: 35,
    cacheCreationTokens: 14,
    cacheReadTokens: 21,
  });
}, 30_000);

it('scripts that grep a transcript find the last words of the assistant', async () => {
  await using temp = await tempHome();
  await mkdir(temp.home);
  const path = await record(fileTranscripts(temp.home, '0.1.0'), newSession(), turns(2));
  const script = `grep '"role":"assistant"' "$1" | tail -n 1 | "$2" -e '
    const line = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    console.log(line.message.content.filter((block) => block.type === "text").map((block) => block.text).join(" "));'`;
  const { stdout } = await run('bash', ['-c', script, 'bash', path, process.execPath]);
  expect(stdout.trim()).toBe('answer 1 ä🪵');
  const lines = (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of lines.filter(({ type }) => type === 'user' || type === 'assistant'))
    for (const key of [
      'parentUuid',
      'isSidechain',
      'userType',
      'cwd',
      'sessionId',
      'version',
      'gitBranch',
      'uuid',
      'timestamp',
    ])
      expect(line).toHaveProperty(key);
});
