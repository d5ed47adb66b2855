import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entryOf, lineOf } from '../../src/store/lines.ts';
import { answered, anyEntry, entry, newSession } from './entries.ts';

const at = { session: newSession(), version: '1.0.0', cwd: '/x' };

it('a line gives back the entry it was made from', () => {
  fc.assert(
    fc.property(anyEntry, (made) => {
      const line = lineOf(made, at);
      expect(line).not.toContain('\n');
      expect(entryOf(line)).toEqual(made);
    }),
    { numRuns: 1500 },
  );
});

it('an assistant line has the fields that public readers need, compactly', () => {
  const line = lineOf(answered('hello'), { ...at, branch: 'b', agentId: 'a1' });
  expect(line).toContain('"role":"assistant"');
  expect(JSON.parse(line)).toMatchObject({
    type: 'assistant',
    isSidechain: true,
    agentId: 'a1',
    userType: 'external',
    cwd: '/x',
    sessionId: at.session,
    version: '1.0.0',
    gitBranch: 'b',
    requestId: 'req_msg_1',
    message: { type: 'message', role: 'assistant', stop_sequence: null, usage: { input_tokens: 10 } },
  });
});

it('a user line carries one structured result where scripts look for it', () => {
  const result = entry({
    type: 'user',
    origin: { kind: 'tools' },
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1' as never, content: 'ok' }],
    responses: { toolu_1: { stdout: 'ok', interrupted: false } },
  });
  const line = JSON.parse(lineOf(result, at));
  expect(line.toolUseResult).toEqual({ stdout: 'ok', interrupted: false });
});

it.each([
  ['{"type":"attachment","uuid":"u","parentUuid":null,"timestamp":"t"}', 'skip'],
  ['{"type":"file-history-snapshot","snapshot":{}}', 'skip'],
  ['{"type":"coppice-mode","uuid":"u","parentUuid":null,"timestamp":"t","body":{"mode":"wild"}}', undefined],
  ['{"type":"coppice-mode","uuid":"u"', undefined],
  ['42', undefined],
])('a line of others is passed over, a broken one is damage: %s', (line, expected) => {
  expect(entryOf(line)).toBe(expected);
});

it.each([
  ['spent', { about: 'an agent', model: 'm' }],
  ['compacted', { trigger: 'auto', preTokens: 1, summary: 's', messages: [], how: 'model', model: 'm' }],
])('use that an older line of the kind %s leaves out is none, in the sums too', (kind, body) => {
  const stamp = { uuid: 'u', parentUuid: null, timestamp: '2026-01-01T00:00:00.000Z' };
  const given = { ...body, usage: { input_tokens: 3, output_tokens: 2 } };
  const line =
    kind === 'compacted'
      ? { ...stamp, type: 'system', subtype: 'compact_boundary', coppice: given }
      : { ...stamp, type: `coppice-${kind}`, body: given };
  expect(entryOf(JSON.stringify(line))).toEqual({
    type: kind,
    ...stamp,
    ...body,
    usage: {
      input_tokens: 3,
      output_tokens: 2,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  });
});
