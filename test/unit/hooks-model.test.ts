import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../src/contract/hook.ts';
import { readAnswer } from '../../src/hooks/answer.ts';
import { fillArguments, type ModelAnswer, type ModelQuestion } from '../../src/hooks/model-hook.ts';
import { bash, world } from '../hooks/world.ts';

const hook = (type: string, more: object = {}, event = 'PreToolUse') => ({
  [event]: [{ hooks: [{ type, prompt: 'Is this fine? $ARGUMENTS', ...more }] }],
});
const answering = (given: ModelAnswer | (() => Promise<ModelAnswer>)) => {
  const asked: ModelQuestion[] = [];
  const port = async (question: ModelQuestion) => {
    asked.push(question);
    return typeof given === 'function' ? given() : given;
  };
  return { asked, evaluate: port, verify: port };
};

const answers: readonly (readonly [text: string, expected: object])[] = [
  ['{"ok": true}', { ok: true }],
  ['{"ok": false, "reason": "r"}', { ok: false, reason: 'r', impossible: false }],
  ['{"ok": false, "reason": "r", "impossible": true}', { ok: false, reason: 'r', impossible: true }],
  ['{"ok": false}', { ok: false, reason: expect.stringContaining('no reason'), impossible: false }],
  [
    'Here you are:\n```json\n{"ok": false, "reason": "r"}\n```',
    { ok: false, reason: 'r', impossible: false },
  ],
  ['I think {"ok": true} fits', { ok: true }],
  ['BLOCK: deletes the database', { ok: false, reason: 'deletes the database', impossible: false }],
  ['DENY', { ok: false, reason: expect.stringContaining('no reason'), impossible: false }],
  ['ALLOW', { ok: true }],
  ['APPROVE it', { ok: true }],
  ['OK', { ok: true }],
  ['Okay, but look out', { fault: expect.stringContaining('prose') }],
  ['This looks dangerous.', { fault: expect.stringContaining('prose') }],
  ['{"ok": "yes"}', { fault: expect.stringContaining('prose') }],
  ['', { fault: expect.stringContaining('nothing') }],
];
test.each(answers)('the answer %j', (text, expected) => {
  expect(readAnswer(text)).toEqual(expected);
});

test('the input goes where $ARGUMENTS stands, and to the end without it', () => {
  expect(fillArguments('a $ARGUMENTS b $ARGUMENTS', '{"x":"$&"}')).toBe('a {"x":"$&"} b {"x":"$&"}');
  expect(fillArguments('price: $5 \\$ARGUMENTS', '{}')).toBe('price: $5 $ARGUMENTS\n\n{}');
  expect(fillArguments('look', '{}')).toBe('look\n\n{}');
});

describe.each(['prompt', 'agent'])('type %s', (type) => {
  const no = { text: '{"ok": false, "reason": "not so"}' };

  test('asks the small model unless told otherwise', async () => {
    for (const [more, model] of [
      [{}, 'small'],
      [{ model: 'opus' }, 'opus'],
    ] as const) {
      const ports = answering({ text: '{"ok": true}' });
      await using here = world(hook(type, more), ports);
      expect((await here.hooks.fire('PreToolUse', bash('ls'), here.scope())).verdict).toEqual({
        context: [],
        systemMessages: [],
      });
      expect(ports.asked.map((one) => one.model)).toEqual([model]);
    }
  });

  const effects: readonly (readonly [HookEvent, object])[] = [
    ['PreToolUse', { decision: 'deny', reason: 'not so' }],
    ['Stop', { blocked: 'not so' }],
    ['SubagentStop', { blocked: 'not so' }],
    ['UserPromptSubmit', { blocked: 'not so' }],
    ['PostToolUseFailure', { blocked: 'not so' }],
    ['TaskCompleted', { blocked: 'not so' }],
    ['PermissionRequest', { systemMessages: [expect.stringContaining('not so')] }],
    ['Notification', { systemMessages: [expect.stringContaining('not so')] }],
  ];
  test.each(effects)('a no on %s', async (event, expected) => {
    await using here = world(hook(type, {}, event), answering(no));
    expect((await here.hooks.fire(event, bash('ls'), here.scope())).verdict).toMatchObject(expected);
  });

  test('prose is an error notice and nothing else', async () => {
    await using here = world(hook(type), answering({ text: 'I would not do that.' }));
    const { verdict, runs } = await here.hooks.fire('PreToolUse', bash('ls'), here.scope());
    expect([verdict, runs[0]?.ran.outcome]).toEqual([{ context: [], systemMessages: [] }, 'error']);
    expect(here.notices()).toEqual([expect.stringContaining('prose')]);
  });

  test('no answer at all leaves the call in doubt', async () => {
    const silent = () => new Promise<ModelAnswer>(() => undefined);
    for (const [answer, words] of [
      [{ failed: 'no key' }, 'no key'],
      [silent, 'time limit'],
      [() => Promise.reject(new Error('boom')), 'boom'],
    ] as const) {
      await using here = world(hook(type, { timeout: 0.1 }), answering(answer));
      expect((await here.hooks.dispatch('PreToolUse', bash('ls'), here.scope())).uncertain).toContain(words);
    }
  });

  test('nothing of the kind runs inside a verifier', async () => {
    const ports = answering(no);
    await using here = world(hook(type), ports);
    expect((await here.hooks.fire('PreToolUse', bash('ls'), here.scope({ verifier: true }))).matched).toBe(0);
  });
});

test('a no after a tool ends the turn, unless it may go on', async () => {
  const no = { text: '{"ok": false, "reason": "r"}' };
  for (const [type, more, stop] of [
    ['prompt', {}, 'r'],
    ['prompt', { continueOnBlock: true }, undefined],
    ['agent', {}, undefined],
  ] as const) {
    await using here = world(hook(type, more, 'PostToolUse'), answering(no));
    const verdict = (await here.hooks.fire('PostToolUse', bash('ls'), here.scope())).verdict;
    expect([verdict.blocked, verdict.stop]).toEqual(['r', stop]);
  }
});

test('what cannot be done does not keep the agent going', async () => {
  await using here = world(
    hook('prompt', {}, 'Stop'),
    answering({ text: '{"ok":false,"reason":"r","impossible":true}' }),
  );
  expect((await here.hooks.fire('Stop', {}, here.scope())).verdict.blocked).toBeUndefined();
});

test('all four types are given the same document', async () => {
  const posted: string[] = [];
  const server = createServer(async (request, answer) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    posted.push(body);
    answer.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ports = answering({ text: '{"ok": true}' });
  await using here = world(
    {
      PreToolUse: [
        {
          hooks: [
            { type: 'command', command: 'cat > stdin.json' },
            { type: 'prompt', prompt: '$ARGUMENTS' },
            { type: 'agent', prompt: '$ARGUMENTS' },
            { type: 'http', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` },
          ],
        },
      ],
    },
    ports,
  );
  await here.hooks.dispatch('PreToolUse', bash('echo "quotes" $(and) \\ more'), here.scope());
  server.close();
  const documents = [
    readFileSync(join(here.project, 'stdin.json'), 'utf8'),
    ...ports.asked.map((one) => one.prompt),
    ...posted,
  ].map((text) => JSON.parse(text) as unknown);
  expect(documents).toHaveLength(4);
  for (const one of documents) expect(one).toEqual(documents[0]);
});
