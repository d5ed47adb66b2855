import { afterEach, describe, expect, it } from 'vitest';
import type { AskId } from '../../src/contract/ids.ts';
import { modelServer } from '../support/model-server.ts';
import { cutAfterEvents, reply, say, sseError, stallAfter, status, use } from '../support/replies.ts';
import { ok, openHouse, tool } from './house.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});
const serve = async (...lines: Parameters<typeof modelServer>[0] & unknown[]) => {
  const server = await modelServer(lines as Parameters<typeof modelServer>[0]);
  open.push(server);
  return server;
};
const house = async (...args: Parameters<typeof openHouse>) => {
  const opened = await openHouse(...args);
  open.push(opened);
  return opened;
};

describe('a turn', () => {
  it('answers a prompt and records both', async () => {
    const server = await serve(say('hello'));
    const here = await house(server);
    expect(await here.say('hi')).toMatchObject({ stop: 'end_turn', text: 'hello' });
    expect(server.requests[0]?.prompt).toContain('hi');
    expect(server.violations).toEqual([]);
    const { entries } = await here.transcript();
    expect(
      entries.map((entry) => entry.type).filter((type) => type === 'user' || type === 'assistant'),
    ).toEqual(['user', 'user', 'assistant']);
  });

  it('runs tools and sends the results in the order of the calls', async () => {
    const server = await serve([use('Slow', { text: 'a' }), use('Fast', { text: 'b' })], say('done'));
    const order: string[] = [];
    let release: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tools = [
      tool(
        'Slow',
        async () => {
          await slow;
          order.push('slow');
          return ok('slow result');
        },
        { parallel: true },
      ),
      tool(
        'Fast',
        async () => {
          order.push('fast');
          release();
          return ok('fast result');
        },
        { parallel: true },
      ),
    ];
    const here = await house(server, { tools });
    await here.say('go');
    expect(order).toEqual(['fast', 'slow']);
    expect(server.requests[1]?.results.map((result) => result.text)).toEqual(['slow result', 'fast result']);
    expect(server.violations).toEqual([]);
  });

  it('lets a call wait that a hook made into one that runs alone', async () => {
    const server = await serve([use('Slow', { text: '' }), use('Turns', { text: 'reads' })], say('done'));
    const order: string[] = [];
    const asked = Promise.withResolvers<void>();
    const slow = async () => {
      await asked.promise;
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      order.push('slow');
      return ok('');
    };
    const turns = tool('Turns', ({ text }) => ok(String(order.push(text))));
    const here = await house(server, {
      tools: [
        tool('Slow', slow, { parallel: true }),
        {
          ...turns,
          prepare(raw, state) {
            const call = turns.prepare(raw, state);
            return 'invalid' in call ? call : { ...call, parallel: call.input.text === 'reads' };
          },
        },
      ],
      hook: ({ event, payload }) => {
        if (event !== 'PreToolUse' || payload.tool_name !== 'Turns') return undefined;
        asked.resolve();
        return { updatedInput: { text: 'writes' } };
      },
    });
    await here.say('go');
    expect(order).toEqual(['slow', 'writes']);
  });

  it('tells the model what was wrong with a call', async () => {
    const server = await serve([use('Nope', {}), use('Echo', { text: 1 })], say('sorry'));
    const here = await house(server, { tools: [tool('Echo', ({ text }) => ok(text))] });
    await here.say('go');
    expect(server.requests[1]?.results).toMatchObject([
      { error: true, text: 'There is no tool named Nope. The tools are: Echo.' },
      { error: true, text: 'Echo: text must be a string. Send {"text": "..."}.' },
    ]);
    expect(here.events('PostToolUseFailure')).toHaveLength(2);
  });

  it('applies the effects of a call before the next one is cleared', async () => {
    const server = await serve([use('Plan', { text: '' }), use('Echo', { text: 'x' })], say('ok'));
    const plan = tool('Plan', () => ({
      status: 'ok',
      text: 'on',
      effects: [{ type: 'mode', mode: 'plan' }],
    }));
    const here = await house(server, {
      tools: [plan, tool('Echo', ({ text }) => ok(text))],
      judge: (_call, state) =>
        state.mode === 'plan' ? { decision: 'deny', reason: 'Plan mode is on.', by: 'mode' } : {},
    });
    await here.say('go');
    expect(server.requests[1]?.results).toMatchObject([
      { text: 'on' },
      { error: true, text: 'Plan mode is on.' },
    ]);
    expect(here.events('PermissionDenied')).toMatchObject([{ tool_name: 'Echo', source: 'mode' }]);
  });

  it('hands over what was typed meanwhile after the running tools', async () => {
    const server = await serve([use('Echo', { text: 'x' })], say('both'));
    const here = await house(server, {
      tools: [
        tool('Echo', async ({ text }) => {
          await here.session.send('and this');
          return ok(text);
        }),
      ],
    });
    await here.say('go');
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.prompt).toContain('and this');
    expect(server.violations).toEqual([]);
  });

  it('takes in all that waits as one message, in order, and tells what is new once', async () => {
    const server = await serve(say('heard'));
    let asked = 0;
    const here = await house(server, {
      news: () => {
        asked += 1;
        return asked === 1 ? ['The date is another one.'] : [];
      },
    });
    await Promise.all(['first', 'second', 'third'].map((text) => here.session.send(text)));
    await here.session.idle();
    expect(server.requests).toHaveLength(1);
    const [message, ...more] = server.requests[0]?.body.messages ?? [];
    expect(more).toEqual([]);
    expect(JSON.stringify(message)).toMatch(/The date is another one[\s\S]*first[\s\S]*second[\s\S]*third/);
    // Once with the mail, once before the request.
    expect(asked).toBe(2);
  });

  it('lets what is queued be taken back until it is being taken in, and sends nothing of that', async () => {
    const server = await serve(say('one heard'));
    let back: ReturnType<Awaited<ReturnType<typeof house>>['session']['unsend']> | undefined;
    const here = await house(server, {
      hook: ({ event, payload }) => {
        if (event === 'UserPromptSubmit' && payload.prompt === 'one') back = here.session.unsend();
        return undefined;
      },
    });
    await Promise.all([here.session.send('one'), here.session.send('two')]);
    await here.session.idle();
    expect(await back).toEqual([{ text: 'two', images: [] }]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.raw).toContain('"one"');
    expect(server.requests[0]?.raw).not.toContain('"two"');
  });
});

describe('an interruption', () => {
  it('answers every open call and goes on with the next prompt', async () => {
    const server = await serve(
      [use('Fast', { text: 'f' }), use('Long', { text: 'l' }), use('Asks', { text: 'q' })],
      say('next'),
    );
    const here = await house(server, {
      tools: [
        tool('Fast', () => ok('fast result')),
        tool(
          'Long',
          (_input, ctx) =>
            new Promise((resolve) => {
              ctx.signal.addEventListener('abort', () =>
                resolve({ status: 'cancelled', text: '[interrupted]' }),
              );
              here.session.interrupt();
            }),
        ),
        tool('Asks', () => ok('never')),
      ],
      judge: (call) => (call.tool === 'Asks' ? { decision: 'ask' } : {}),
    });
    expect(await here.say('go')).toMatchObject({ stop: 'interrupted' });
    await here.say('and now');
    expect(server.requests[1]?.results.map((result) => result.text)).toEqual([
      'fast result',
      '[interrupted]',
      expect.stringContaining('nterrupted'),
    ]);
    expect(server.violations).toEqual([]);
  });

  it('keeps what was streamed', async () => {
    const server = await serve(stallAfter(say('a long answer that never ends'), 4), say('yes'));
    const here = await house(server);
    await here.session.send('go');
    await expect.poll(() => here.seen.some((event) => event.type === 'delta')).toBe(true);
    here.session.interrupt();
    await here.session.idle();
    await here.say('what?');
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain(
      'incomplete: interrupted by the user',
    );
    expect(server.violations).toEqual([]);
  });

  it('settles an open question', async () => {
    const server = await serve(use('Echo', { text: 'x' }), say('fine'));
    const here = await house(server, {
      tools: [tool('Echo', ({ text }) => ok(text))],
      judge: () => ({ decision: 'ask', reason: 'no rule' }),
    });
    await here.session.send('go');
    await expect.poll(() => here.asks.open().length).toBe(1);
    here.session.interrupt();
    await here.session.idle();
    expect(here.asks.open()).toEqual([]);
    await here.say('again');
    expect(server.requests[1]?.results[0]?.error).toBe(true);
  });
});

describe('the permission gate', () => {
  it('runs after a yes and remembers what was asked for', async () => {
    const server = await serve(use('Echo', { text: 'x' }), say('fine'));
    const here = await house(server, {
      tools: [tool('Echo', ({ text }) => ok(text))],
      judge: () => ({ decision: 'ask', suggestions: ['Echo'] }),
    });
    await here.session.send('go');
    await expect.poll(() => here.asks.open().length).toBe(1);
    here.asks.answer(here.asks.open()[0]?.id as AskId, {
      kind: 'permission',
      behavior: 'allow',
      comment: 'gently',
      remember: { rules: ['Echo'], to: 'session' },
    });
    await here.session.idle();
    expect(server.requests[1]?.results).toMatchObject([{ text: 'x', error: false }]);
    expect(server.requests[1]?.raw).toContain('gently');
    expect(here.session.state().grants).toEqual(['Echo']);
  });

  it('stops the turn on a bare no and goes on after one with a comment', async () => {
    const server = await serve(use('Echo', { text: 'x' }), use('Echo', { text: 'y' }), say('I see'));
    const answers = [
      { kind: 'permission', behavior: 'deny' },
      { kind: 'permission', behavior: 'deny', comment: 'use z' },
    ] as const;
    let at = 0;
    const here = await house(server, {
      tools: [tool('Echo', ({ text }) => ok(text))],
      judge: () => ({ decision: 'ask' }),
      answer: () => answers[at++],
    });
    expect(await here.say('one')).toMatchObject({ stop: 'stopped' });
    expect(await here.say('two')).toMatchObject({ stop: 'end_turn', text: 'I see' });
    expect(server.requests[2]?.results.at(-1)?.text).toContain('use z');
  });

  it('lets a hook allow only what would be asked', async () => {
    const server = await serve([use('Echo', { text: 'ask' }), use('Echo', { text: 'deny' })], say('ok'));
    const here = await house(server, {
      tools: [tool('Echo', ({ text }) => ok(text))],
      judge: (call) =>
        call.input.text === 'deny' ? { decision: 'deny', reason: 'rule', by: 'rule' } : { decision: 'ask' },
      hook: (one) => (one.event === 'PreToolUse' ? { decision: 'allow' } : undefined),
    });
    await here.say('go');
    expect(server.requests[1]?.results.map((result) => result.error)).toEqual([false, true]);
  });
});

describe('hooks', () => {
  it('may change the input, which is judged and shown as changed', async () => {
    const server = await serve(use('Echo', { text: 'x' }), say('ok'));
    const here = await house(server, {
      tools: [tool('Echo', ({ text }) => ok(text))],
      hook: (one) => (one.event === 'PreToolUse' ? { updatedInput: { text: 'changed' } } : undefined),
    });
    await here.say('go');
    expect(server.requests[1]?.results[0]?.text).toBe('changed');
    expect(here.events('PostToolUse')).toMatchObject([{ tool_input: { text: 'changed' } }]);
  });

  it('may stop everything: the call does not run, whatever else was decided', async () => {
    const server = await serve(use('Echo', { text: 'x' }), say('unused'));
    const here = await house(server, {
      tools: [tool('Echo', ({ text }) => ok(text))],
      hook: (one) => (one.event === 'PreToolUse' ? { stop: 'halt', decision: 'allow' } : undefined),
    });
    expect(await here.say('go')).toMatchObject({ stop: 'stopped', error: 'halt' });
    expect(here.events('PostToolUse')).toEqual([]);
    expect(here.events('PermissionDenied')).toMatchObject([{ source: 'hook', reason: 'halt' }]);
    expect(server.requests).toHaveLength(1);
  });

  it('may refuse a prompt, which is never sent; what the start had to say goes with the next', async () => {
    const server = await serve(say('hello'));
    const here = await house(server, {
      hook: (one) =>
        one.event === 'SessionStart'
          ? { context: ['from the start'] }
          : one.event === 'UserPromptSubmit' && one.payload.prompt === 'bad'
            ? { blocked: 'not that' }
            : undefined,
    });
    await here.say('bad');
    await here.say('good');
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.raw).not.toContain('bad');
    expect(server.requests[0]?.raw).toContain('from the start');
  });

  it('may keep the model working, but not for ever', async () => {
    const server = await serve();
    server.always(() => true, say('done?'));
    const here = await house(server, {
      hook: (one) => (one.event === 'Stop' ? { blocked: 'tests fail' } : undefined),
    });
    await here.say('go');
    expect(here.events('Stop').map((payload) => payload.stop_hook_active)).toEqual([
      false,
      ...Array.from({ length: 8 }, () => true),
    ]);
    expect(server.requests[1]?.raw).toContain('tests fail');
  });
});

describe('a broken connection', () => {
  it('keeps the visible text, runs no partial call, and goes on', async () => {
    const server = await serve(
      cutAfterEvents([say('I will look.'), use('Echo', { text: 'half' })], 6),
      say('and here is the rest'),
    );
    let runs = 0;
    const here = await house(server, {
      tools: [
        tool('Echo', ({ text }) => {
          runs += 1;
          return ok(text);
        }),
      ],
    });
    expect(await here.say('go')).toMatchObject({ stop: 'end_turn' });
    expect(runs).toBe(0);
    expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('I will look.');
    expect(server.violations).toEqual([]);
  });

  it('ends the turn with the reason when the service refuses', async () => {
    const server = await serve(status(401, {}));
    const here = await house(server);
    const end = await here.say('go');
    expect(end).toMatchObject({ stop: 'failed' });
    expect(end?.error).not.toContain('CANARY');
    expect(here.events('StopFailure')).toMatchObject([{ error: 'authentication_failed' }]);
  });

  it('tries again after an overload', async () => {
    const server = await serve(status(529, {}), sseError('overloaded_error'), say('here'));
    const here = await house(server);
    expect(await here.say('go')).toMatchObject({ stop: 'end_turn', text: 'here' });
  });
});

describe('compaction', () => {
  it('summarises near the limit and keeps the last request word for word', async () => {
    const full = { input_tokens: 9500, output_tokens: 10 };
    const server = await serve(reply([say('first')], { usage: full }), say('SUMMARY'), say('second'));
    const here = await house(server, { window: 10_000 });
    await here.say('remember the milk');
    await here.say('now the exact words');
    const last = server.requests.at(-1);
    expect(last?.raw).toContain('SUMMARY');
    expect(last?.raw).toContain('now the exact words');
    expect(last?.raw).toContain('open task 1');
    expect(here.events('PostCompact')).toMatchObject([{ trigger: 'auto', compact_summary: 'SUMMARY' }]);
    expect(server.violations).toEqual([]);
  });

  it('shortens by itself when no summary can be made', async () => {
    const full = { input_tokens: 9500, output_tokens: 10 };
    const server = await serve(
      reply([say('first')], { usage: full }),
      status(400, { message: 'no' }),
      say('second'),
    );
    const here = await house(server, { window: 10_000 });
    await here.say('remember the milk');
    await here.say('now the exact words');
    const last = server.requests.at(-1);
    expect(last?.raw).toContain('remember the milk');
    expect(last?.raw.length ?? 0).toBeLessThan(10_000 * 0.6 * 3);
  });
});

describe('resuming', () => {
  it('answers calls that the end of the program left open, and does not run them again', async () => {
    const server = await serve(use('Hang', { text: 'x' }), say('back'));
    let runs = 0;
    const tools = [
      tool('Hang', () => {
        runs += 1;
        return new Promise(() => undefined);
      }),
    ];
    const first = await openHouse(server, { tools });
    await first.session.send('go');
    await expect.poll(() => runs).toBe(1);
    const copy = await import('node:fs/promises').then(async (fs) => {
      const to = `${first.home}-copy`;
      await fs.cp(first.home, to, { recursive: true, filter: (path) => !/lock/.test(path) });
      return to;
    });
    const second = await house(server, { tools, home: copy, resume: first.id });
    await second.say('go on');
    expect(runs).toBe(1);
    expect(server.requests[1]?.results).toMatchObject([
      { error: true, text: expect.stringContaining('interrupted') },
    ]);
    expect(server.requests[1]?.prompt).toContain('go on');
    expect(server.violations).toEqual([]);
  });
});

describe('limits', () => {
  it('stop before the next request', async () => {
    const server = await serve(use('Echo', { text: 'x' }), say('never'));
    const here = await house(server, {
      tools: [tool('Echo', ({ text }) => ok(text))],
      limits: { maxTurns: 1 },
      answer: () => ({ kind: 'none', reason: 'Nobody is there.', source: 'headless' }),
    });
    expect(await here.say('go')).toMatchObject({ stop: 'max_turns' });
    expect(server.requests).toHaveLength(1);
  });
});
