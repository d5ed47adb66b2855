import { expect, test } from 'vitest';
import { reply, say, sseError, status, think, use } from '../support/replies.ts';
import { ScriptFile, serveScript } from '../support/script-file.ts';

test('a script in JSON says what the builders say', () => {
  const script = ScriptFile.parse([
    'hello',
    [{ think: 'hm' }, { use: 'Bash', input: { command: 'ls' } }],
    { status: 429, retryAfter: 2 },
    { reply: ['slow'], perSecond: 10 },
    { reply: 'x', sseError: 'overloaded_error' },
  ]);
  expect(script.replies).toEqual([
    [say('hello')],
    [think('hm'), use('Bash', { command: 'ls' })],
    status(429, { retryAfter: 2 }),
    reply([say('slow')], { perSecond: 10 }),
    sseError('overloaded_error', say('x'), 3),
  ]);
});

test('lanes and a last word are served', async () => {
  await using server = await serveScript(
    ScriptFile.parse({ lanes: [{ system: 'explorer', replies: ['found'] }], afterwards: 'no more' }),
  );
  const ask = async (system: string): Promise<unknown> => {
    const answer = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      headers: { 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: 'm', max_tokens: 1, system, messages: [{ role: 'user', content: 'a' }] }),
    });
    return answer.json();
  };
  expect(await ask('an explorer')).toMatchObject({ content: [{ text: 'found' }] });
  expect(await ask('an explorer')).toMatchObject({ content: [{ text: 'no more' }] });
});

test.each([[{ replies: [{ stauts: 1 }] }], [[{ use: 'Bash', inptu: {} }]]])(
  'the misspelt script %j is refused',
  (script) => {
    expect(ScriptFile.safeParse(script).success).toBe(false);
  },
);
