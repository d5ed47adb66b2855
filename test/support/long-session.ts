import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { modelServer } from './model-server.ts';
import { peakMegabytes } from './processes.ts';
import { say } from './replies.ts';
import { tempRepo } from './repo.ts';
import { type Ran, runCoppice, startCoppice } from './run-binary.ts';

export interface LongResume {
  readonly ran: Ran;
  readonly bytes: number;
  readonly peakMegabytes: number;
  readonly violations: readonly string[];
  /** The last request, as text. */
  readonly request: string;
}

const WORDS = 'words and words '.repeat(3000);
const PAIRS = 100;

const one = (directory: string, name: RegExp): string => {
  const found = readdirSync(directory).find((entry) => name.test(entry));
  if (!found) throw new Error(`${directory} holds nothing like ${name}`);
  return join(directory, found);
};

/** Makes the transcript of a real run longer than `bytes` and goes on with it. */
export const resumeLong = async (bytes: number): Promise<LongResume> => {
  await using server = await modelServer();
  await using place = await tempRepo({ server });
  server.script(say('one'));
  await runCoppice(place, ['-p', 'first words']);
  const file = one(one(join(place.state, 'projects'), /./), /\.jsonl$/);
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const user = lines.findLast(({ type }) => type === 'user');
  const assistant = lines.findLast(({ type }) => type === 'assistant');
  let parent = lines.at(-1).uuid;
  let count = 0;
  const next = (line: object, message: object) => {
    const uuid = `00000000-0000-4000-8000-${String(count++).padStart(12, '0')}`;
    const made = { ...line, mail: undefined, message, uuid, parentUuid: parent };
    parent = uuid;
    return `${JSON.stringify(made)}\n`;
  };
  while (statSync(file).size < bytes) {
    const pairs = Array.from({ length: PAIRS }, () => {
      const text = (words: string) => [{ type: 'text', text: words }];
      return (
        next(user, { role: 'user', content: text(`question ${count} ${WORDS}`) }) +
        next(assistant, { ...assistant.message, id: `msg_${count}`, content: text(`answer ${count}`) })
      );
    });
    appendFileSync(file, pairs.join(''));
  }
  server.script(say('done'), say('done'));
  const size = statSync(file).size;
  const running = startCoppice(place, ['-p', 'last words', '--continue'], { timeout: 110_000 });
  running.endInput();
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakMegabytes(running.pid) ?? 0);
  }, 50);
  const ran = await running.ended;
  clearInterval(watch);
  return {
    ran,
    bytes: size,
    peakMegabytes: peak,
    violations: server.violations,
    request: server.requests.at(-1)?.raw ?? '',
  };
};
