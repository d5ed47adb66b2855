/** A lead with agents in the background that is killed at a step of its own: what each end came to, counted in requests. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Received } from './received.ts';
import { say, use } from './replies.ts';
import { resultOf, type Scene, scene } from './scene.ts';
import { blocksOf, resultText } from './wire.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const AWAY = ['four', 'five'];
const KILLER = join(import.meta.dirname, 'kill-at.ts');

/** Where the program dies; the second one is in the run that goes on. */
export interface Death {
  readonly at: number;
  readonly torn: boolean;
  readonly again?: number;
}

const isChild = ({ system }: Received): boolean => system.includes('You are an agent of Coppice');
const start = (job: string) =>
  use('AgentTool', {
    prompt: `Do job ${job}.`,
    description: `Do job ${job}`,
    ...(AWAY.includes(job) ? { run_in_background: true } : {}),
  });

const stage = async (): Promise<Scene> => {
  const on = await scene();
  on.server.always(isChild, ({ raw }) => {
    const [, job = ''] = /Do job (\w+)\./.exec(raw) ?? [];
    // One works in two steps, so that it may be killed between them.
    return job === 'five' && !raw.includes('tool_result')
      ? use('Glob', { pattern: '*.none' })
      : say(`Result of ${job}.`);
  });
  on.server.always(
    (request) => !isChild(request),
    ({ raw }) => (raw.includes('Do job one.') ? say('Heard.') : ['one', ...AWAY].map(start)),
  );
  return on;
};

const run = (
  on: Scene,
  prompt: string,
  how: readonly string[],
  env: Readonly<Record<string, string>> = {},
) => {
  const killing =
    Object.keys(env).length === 0 ? {} : { NODE_OPTIONS: `--import=${KILLER}`, KILL_UNDER: on.repo.state };
  return on.run(['-p', prompt, '--output-format', 'json', ...how], { env: { ...killing, ...env } });
};

/** How many steps a whole run makes. */
export const countSteps = async (): Promise<number> => {
  await using on = await stage();
  const file = join(on.repo.root, 'steps');
  await run(on, 'go', ['--session-id', SESSION], { KILL_COUNT: file });
  return Number(readFileSync(file, 'utf8'));
};

const leads = (on: Scene) => on.server.requests.filter((request) => !isChild(request));
/** How often a request tells of a job's end. */
const notices = (raw: string, job: string): number =>
  [...raw.matchAll(/<summary>Do job (\w+): (?:completed|stopped|failed)<\/summary>/g)].filter(
    ([, name]) => name === job,
  ).length;

/** What the call that began a job was answered, as the last request has it; undefined where it holds no such call. */
const answerOf = (on: Scene, job: string): string | undefined => {
  const blocks =
    leads(on)
      .at(-1)
      ?.body.messages.flatMap(({ content }) => blocksOf(content)) ?? [];
  const call = blocks.find(
    (block) => block.type === 'tool_use' && JSON.stringify(block.input).includes(`Do job ${job}.`),
  );
  const result = blocks.find((block) => block.type === 'tool_result' && block.tool_use_id === call?.id);
  return call && (result ? resultText(result) : '');
};

/** What a resumed conversation says wrongly of a job in the background; empty where all is well. */
const wrongAbout = (on: Scene, job: string): readonly string[] => {
  if (leads(on).some(({ raw }) => notices(raw, job) > 1))
    return [`${job} is told of more than once in a request`];
  const told = notices(leads(on).at(-1)?.raw ?? '', job);
  const answer = answerOf(on, job);
  if (answer === undefined) return told === 0 ? [] : [`${job} is told of without a call`];
  if (answer.includes('runs in the background')) return told === 1 ? [] : [`${job} is told of ${told} times`];
  // It was killed before the call was answered: the answer itself says what became of it.
  const said = /was cut off|had ended by then|was not started|not known whether|interrupted/.test(answer);
  return told === 1 || said ? [] : [`${job} is lost: ${answer}`];
};

export interface Outcome {
  readonly killed: boolean;
  /** Nothing was saved yet: there is nothing to go on with. */
  readonly before: boolean;
  readonly wrong: readonly string[];
}

/** Kills it, goes on (and kills that), goes on twice, and looks at every request that was sent. */
export const killAndGoOn = async ({ at, torn, again }: Death): Promise<Outcome> => {
  await using on = await stage();
  const dying = (count: number) => ({ KILL_AT: String(count), KILL_TORN: torn ? '1' : '0' });
  const first = await run(on, 'go', ['--session-id', SESSION], dying(at));
  const killed = first.signal === 'SIGKILL';
  const saved = join(
    on.repo.state,
    'projects',
    on.repo.path.replace(/[^A-Za-z0-9]/g, '-'),
    `${SESSION}.jsonl`,
  );
  if (!existsSync(saved) || leads(on).length === 0) return { killed, before: true, wrong: [] };
  const resume = ['--resume', SESSION];
  if (again !== undefined) await run(on, 'Once more?', resume, dying(again));
  const results = [await run(on, 'What came of it?', resume), await run(on, 'And now?', resume)];
  const failed = results.flatMap((ran) =>
    ran.code === 0 && resultOf(ran).result === 'Heard.'
      ? []
      : [`a run that goes on failed: ${ran.stdout}${ran.stderr}`],
  );
  return {
    killed,
    before: false,
    wrong: [...failed, ...AWAY.flatMap((job) => wrongAbout(on, job)), ...on.server.violations],
  };
};
