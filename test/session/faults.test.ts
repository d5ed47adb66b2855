import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Mailbox } from '../../src/contract/store.ts';
import { fileMailbox } from '../../src/store/mailbox.ts';
import { memoryMailbox } from '../../src/store/memory.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { say, use } from '../support/replies.ts';
import { openCrew } from './crew.ts';
import { ok, openHouse, tool } from './house.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});
const serve = async (...lines: NonNullable<Parameters<typeof modelServer>[0]>): Promise<ModelServer> => {
  const server = await modelServer(lines);
  open.push(() => server.close());
  return server;
};
const house = async (...args: Parameters<typeof openHouse>) => {
  const here = await openHouse(...args);
  open.push(() => here.close());
  return here;
};

const broken = () => {
  throw new Error('it broke');
};
const looks = tool('Looks', () => ok('looked'), { parallel: true });
const works = tool('Works', () => ok('worked'));
const call = (name: string) => use(name, { text: 'x' });

describe('a fault on the way to a call is the result of that call', () => {
  it.each([
    [
      'making it',
      { tools: [looks, { ...works, prepare: broken }] },
      'Works cannot take this input: it broke',
    ],
    ['running it', { tools: [looks, tool('Works', () => broken())] }, 'Works failed: it broke'],
    [
      'running it at once',
      { tools: [looks, tool('Works', () => ok(''), { run: broken })] },
      'Works failed: it broke',
    ],
    [
      'judging it',
      { tools: [looks, works], judge: ({ tool: name }) => (name === 'Works' ? broken() : {}) },
      'Works did not run: it broke',
    ],
    [
      'showing it to the person',
      {
        tools: [looks, tool('Works', () => ok(''), { preview: broken })],
        judge: ({ tool: name }) => ({ decision: name === 'Works' ? 'ask' : 'allow' }),
      },
      'Works did not run: it broke',
    ],
    [
      'keeping what it changes',
      {
        tools: [looks, works],
        deps: { checkpoint: async (_, name) => (name === 'Works' ? broken() : undefined) },
      },
      'Works did not run: it broke',
    ],
  ] satisfies readonly (readonly [string, Parameters<typeof openHouse>[1], string])[])(
    '%s',
    async (_, wish, text) => {
      const server = await serve([call('Looks'), call('Works'), call('Looks')], say('done'));
      const here = await house(server, wish);
      expect(await here.say('go')).toMatchObject({ stop: 'end_turn', text: 'done' });
      expect(server.requests[1]?.results).toMatchObject([
        { text: 'looked' },
        { text, error: true },
        { text: 'looked' },
      ]);
      expect(server.violations).toEqual([]);
    },
  );
});

describe('a fault of the program', () => {
  it('ends the turn as failed, and what was said is heard with what is said next', async () => {
    const server = await serve(say('both heard'));
    let fails = true;
    const here = await house(server, { news: () => (fails ? broken() : []) });
    const first = await here.say('first words');
    expect(first).toMatchObject({ stop: 'failed', error: expect.stringContaining('it broke'), broken: true });
    expect(here.seen.filter(({ type }) => type === 'turn.finished')).toMatchObject([{ stop: 'failed' }]);
    expect(here.session.busy()).toBe(false);
    expect(here.events('StopFailure')).toMatchObject([{ error: 'unknown' }]);
    fails = false;
    expect(await here.say('second words')).toMatchObject({ stop: 'end_turn', text: 'both heard' });
    expect(server.requests.at(-1)?.raw).toMatch(/first words.*second words/);
  });

  it('in the middle of a turn leaves no call without a result', async () => {
    const server = await serve(call('Works'), say('went on'));
    const fired: string[] = [];
    const here = await house(server, {
      tools: [works],
      hook: ({ event }) => (event === 'PostToolUse' && fired.push(event) === 1 ? broken() : undefined),
    });
    expect(await here.say('go')).toMatchObject({ stop: 'failed', broken: true });
    expect(await here.say('go on')).toMatchObject({ stop: 'end_turn', text: 'went on' });
    expect(server.requests.at(-1)?.results).toMatchObject([{ text: expect.stringContaining('it broke') }]);
    expect(server.violations).toEqual([]);
  });

  it('that takes the mailbox away ends the session: it is idle, failed, closes, and keeps what is said', async () => {
    const server = await serve();
    const real = memoryMailbox();
    let fails = false;
    const mailbox: Mailbox = { ...real, read: async (...at) => (fails ? broken() : real.read(...at)) };
    const here = await house(server, { deps: { mailbox } });
    await here.session.idle();
    fails = true;
    await here.session.send('anybody there?');
    await expect.poll(() => here.session.lastEnd()).toMatchObject({ stop: 'failed', broken: true });
    await here.session.idle();
    await here.session.send('and now?');
    expect(here.seen).toContainEqual(
      expect.objectContaining({ type: 'notice', text: expect.stringMatching(/has stopped.*is kept/) }),
    );
    expect((await real.read(here.id, 0)).map(({ text }) => text)).toEqual(['anybody there?', 'and now?']);
  });
});

it('what is said while the disk refuses letters is heard, each once and in order', async () => {
  const server = await serve(say('one'), say('two'), say('three'));
  const folder = await mkdtemp(join(tmpdir(), 'coppice-box-'));
  open.push(() => rm(folder, { recursive: true }));
  const file = join(folder, 'box.jsonl');
  const told: string[] = [];
  const mailbox = fileMailbox(
    () => file,
    (text) => told.push(text),
  );
  const here = await house(server, { deps: { mailbox } });
  expect(await here.say('first')).toMatchObject({ text: 'one' });
  await rm(file);
  await mkdir(file);
  expect(await here.say('second')).toMatchObject({ text: 'two' });
  expect(await here.say('third')).toMatchObject({ text: 'three' });
  expect(server.requests.at(-1)?.raw).toMatch(/first.*second.*third/);
  expect(told[0]).toMatch(/Could not open .*box\.jsonl/);
});

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** An input of a schema's shape with the same text wherever one may stand. */
const filled = (schema: Schema, text: string): unknown => {
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => name !== 'isolation' && name !== 'run_in_background')
          .map(([name, one]) => [name, filled(one, text)]),
      );
    case 'array':
      return [filled(schema.items ?? {}, text)];
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return false;
    default:
      return text;
  }
};

it.each([
  ['a zero byte', '\0'],
  ['a name that is too long', 'x'.repeat(300)],
  ['a path whose name is too long', `/${'x'.repeat(300)}`],
  ['a path with a zero byte', '/x\0'],
  ['a path of nothing', '/'.repeat(5000)],
  ['half a character', '\ud800'],
])('no tool throws at what a model may send: %s', async (_, text) => {
  await using crew = await openCrew(await serve(), { mode: 'bypassPermissions' });
  const state = crew.root.session.state();
  const tools = crew.house.open.now()?.tools(state) ?? [];
  expect(tools.length).toBeGreaterThan(0);
  for (const { schema, prepare } of tools) {
    const call = prepare(filled(schema.input_schema, text), state);
    if ('invalid' in call) continue;
    const { input, readOnly, real } = call;
    expect(crew.house.gate.judge({ tool: schema.name, input, readOnly, real }, state)).toHaveProperty(
      'decision',
    );
  }
});
