import { afterEach, describe, expect, it } from 'vitest';
import { modelServer } from '../support/model-server.ts';
import { say } from '../support/replies.ts';
import { openHouse } from './house.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** A conversation of two turns whose next reply, the summary, waits until it is let go. */
const aboutToSummarise = async (wish: Parameters<typeof openHouse>[1] = {}) => {
  const gate = Promise.withResolvers<void>();
  const summary = async () => {
    await gate.promise;
    return say('THE SUMMARY');
  };
  const server = await modelServer([say('answer one'), say('answer two'), summary, say('answer three')]);
  open.push(() => server.close());
  const here = await openHouse(server, wish);
  open.push(() => here.close());
  await here.say('prompt one');
  await here.say('prompt two');
  const { entries } = await here.transcript();
  const second = entries.findLast((entry) => entry.type === 'user')?.uuid ?? '';
  return { server, here, second, letGo: gate.resolve };
};
type Ready = Awaited<ReturnType<typeof aboutToSummarise>>;

const ways: readonly (readonly [string, (ready: Ready) => Promise<unknown>])[] = [
  ['/compact', ({ here }) => here.session.compact()],
  ['/rewind with a summary', ({ here, second }) => here.session.rewind(second, 'summarise')],
];

describe.each(ways)('while %s runs', (_, begin) => {
  it('what is typed and what wakes the session waits, and is answered in what came of it', async () => {
    const ready = await aboutToSummarise();
    const { server, here, letGo } = ready;
    const work = begin(ready);
    await server.waitForRequests(3);
    expect(here.session.busy()).toBe(true);
    await here.session.send('DO NOT LOSE ME');
    await here.session.scope().wake('an agent ended', 'news');
    expect(here.seen).toContainEqual(expect.objectContaining({ type: 'queued', text: 'DO NOT LOSE ME' }));
    letGo();
    await work;
    await here.session.idle();
    expect(server.requests).toHaveLength(4);
    expect(server.requests[3]?.raw).toMatch(/THE SUMMARY.*DO NOT LOSE ME.*an agent ended/);
    expect(JSON.stringify(here.session.state().messages)).toMatch(/DO NOT LOSE ME.*answer three/);
    expect(here.session.busy()).toBe(false);
    expect(server.violations).toEqual([]);
  });

  it('idle waits for its end, and closing too', async () => {
    const ready = await aboutToSummarise();
    const order: string[] = [];
    const work = begin(ready).then(() => order.push('done'));
    await ready.server.waitForRequests(3);
    const idle = ready.here.session.idle().then(() => order.push('idle'));
    ready.letGo();
    await Promise.all([work, idle]);
    expect(order).toEqual(['done', 'idle']);
  });

  it('an interruption ends it, and the conversation stays as it was', async () => {
    const ready = await aboutToSummarise();
    const before = JSON.stringify(ready.here.session.state().messages);
    const work = begin(ready);
    await ready.server.waitForRequests(3);
    ready.here.session.interrupt();
    await work;
    expect([JSON.stringify(ready.here.session.state().messages), ready.here.session.busy()]).toEqual([
      before,
      false,
    ]);
  });

  it('closing ends it, and nothing is recorded after the end', async () => {
    const ready = await aboutToSummarise();
    const work = begin(ready);
    await ready.server.waitForRequests(3);
    await ready.here.session.close('other');
    await work;
    const { entries } = await ready.here.transcript();
    expect(entries.at(-1)?.type).toBe('closed');
  });
});

it('a compaction that is wished for while a turn runs waits for the end of the turn', async () => {
  const gate = Promise.withResolvers<void>();
  const slow = async () => {
    await gate.promise;
    return say('answer one');
  };
  const server = await modelServer([slow, say('THE SUMMARY')]);
  open.push(() => server.close());
  const here = await openHouse(server);
  open.push(() => here.close());
  await here.session.send('prompt one');
  await server.waitForRequests(1);
  const work = here.session.compact();
  gate.resolve();
  await work;
  expect(here.session.lastEnd()).toMatchObject({ stop: 'end_turn', text: 'answer one' });
  expect(server.requests[1]?.raw).toContain('answer one');
  expect(JSON.stringify(here.session.state().messages)).toMatch(/THE SUMMARY.*prompt one/);
});

it('a compaction that fails leaves nothing running', async () => {
  const { here } = await aboutToSummarise({
    hook: ({ event }) => {
      if (event === 'PreCompact') throw new Error('it broke');
      return undefined;
    },
  });
  await expect(here.session.compact()).rejects.toThrow('it broke');
  expect(here.session.busy()).toBe(false);
  await here.session.idle();
});

describe('a session that is closed', () => {
  it('is closed once, whoever closes it how often, and resting then', async () => {
    const server = await modelServer([say('answer')]);
    open.push(() => server.close());
    const here = await openHouse(server);
    await here.say('prompt');
    await Promise.all([here.session.close('clear'), here.session.close('other')]);
    await here.session.close('other');
    expect(here.events('SessionEnd')).toEqual([{ reason: 'clear' }]);
    expect(here.seen.filter(({ type }) => type === 'bye')).toHaveLength(1);
    await here.session.scope().wake('somebody writes', 'late');
    await here.session.idle();
    expect((await here.transcript()).entries.filter(({ type }) => type === 'closed')).toHaveLength(1);
  });

  it('takes nothing that nobody would answer', async () => {
    const server = await modelServer();
    open.push(() => server.close());
    const here = await openHouse(server);
    await here.session.close('other');
    await expect(here.session.send('hello?')).rejects.toThrow('closed');
  });
});
