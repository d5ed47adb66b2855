import { describe, expect, test } from 'vitest';
import type { EventBody, SessionEvent } from '../../src/contract/event.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import type { EntryBody } from '../../src/contract/transcript.ts';
import { treeOf } from '../../src/front/ui/agent-tree.ts';
import { see } from '../../src/front/ui/view.ts';
import { isStalled } from '../../src/front/ui/view-agents.ts';
import { emptyView, flow, type View } from '../../src/front/ui/view-state.ts';

const root = 'root' as SessionId;
const usage = {
  input_tokens: 1,
  output_tokens: 7,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};
const from = (body: EventBody, session = root, agent = 'main'): SessionEvent => ({
  seq: 0,
  session,
  agent,
  ...body,
});
const entry = (body: EntryBody): EventBody => ({
  type: 'entry',
  entry: { ...body, uuid: 'u', parentUuid: null, timestamp: '' },
});
const fold = (...bodies: readonly (EventBody | SessionEvent)[]): View =>
  bodies.reduce<View>(
    (view, body) => flow(see(view, 'session' in body ? body : from(body), 1000)),
    emptyView(root),
  );
const kinds = (view: View): string[] =>
  view.items.map((item) =>
    item.kind === 'tool'
      ? `tool ${item.call.call} ${item.call.status}`
      : 'text' in item
        ? `${item.kind}: ${item.text.trim()}`
        : item.kind,
  );
const reply = (text: string): EventBody =>
  entry({
    type: 'assistant',
    message: {
      role: 'assistant',
      id: 'm',
      model: 'x',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage,
    },
  });
const started = (call: string): EventBody => ({
  type: 'tool.started',
  call: call as never,
  tool: 'Bash',
  subject: 'ls',
  input: {},
});
const turnOver: EventBody = { type: 'turn.finished', stop: 'end_turn', usage, ms: 1, text: '' };
const finished = (call: string): EventBody => ({
  type: 'tool.finished',
  call: call as never,
  tool: 'Bash',
  status: 'ok',
  text: '',
  ms: 1,
});

describe('what is on screen', () => {
  test('streamed text is shown once, however the entry follows', () => {
    const text = 'First.\n\nSecond.';
    const view = fold(
      { type: 'turn.started' },
      { type: 'delta', channel: 'text', text: 'First.\n\nSec' },
      { type: 'delta', channel: 'text', text: 'ond.' },
      reply(text),
    );
    expect(kinds(view)).toEqual(['markdown: First.', 'markdown: Second.']);
  });

  test('a reply that was not streamed is shown from its entry', () => {
    expect(kinds(fold(reply('All.')))).toEqual(['markdown: All.']);
  });

  test('a partial entry adds only what was not streamed', () => {
    expect(kinds(fold({ type: 'delta', channel: 'text', text: 'Half an' }, reply('Half an answer')))).toEqual(
      ['markdown: Half an answer'],
    );
  });

  test('parallel calls leave in the order they were asked for', () => {
    const open = fold(started('1'), started('2'), finished('2'));
    expect(open.items).toEqual([]);
    expect(kinds(fold(started('1'), started('2'), finished('2'), finished('1')))).toEqual([
      'tool 1 ok',
      'tool 2 ok',
    ]);
  });

  test('a thought ends where the answer begins', () => {
    const view = fold(
      { type: 'delta', channel: 'thinking', text: 'Hm.' },
      { type: 'delta', channel: 'text', text: 'So.\n\n' },
    );
    expect(kinds(view)).toEqual(['thought: Hm.', 'markdown: So.']);
  });

  test('a queued message leaves the queue when it is in the transcript, not before', () => {
    const queued: EventBody = { type: 'queued', box: 'b', place: 4, text: 'later' };
    expect(
      fold({ type: 'turn.started' }, queued, { type: 'request.started', model: 'x', contextTokens: 0 }).queue,
    ).toEqual([{ place: 4, text: 'later' }]);
    const taken = fold(
      { type: 'turn.started' },
      queued,
      entry({
        type: 'user',
        content: [{ type: 'text', text: 'later' }],
        origin: { kind: 'person' },
        mail: { box: 'b', place: 4 },
      }),
    );
    expect([taken.queue, kinds(taken)]).toEqual([[], ['user: later']]);
  });

  test('reminders and tool results are not shown as messages', () => {
    expect(
      fold(
        entry({
          type: 'user',
          content: [{ type: 'text', text: 'x' }],
          origin: { kind: 'system', about: 'date' },
        }),
        entry({ type: 'user', content: [], origin: { kind: 'tools' } }),
      ).items,
    ).toEqual([]);
  });

  test('an interruption ends every running call', () => {
    const view = fold({ type: 'turn.started' }, started('1'), {
      type: 'turn.finished',
      stop: 'interrupted',
      usage,
      ms: 5,
      text: '',
    });
    expect(kinds(view)).toEqual(['tool 1 cancelled', 'note: Interrupted. Say what to do instead.']);
    expect(view.busy).toBe(false);
  });

  test('a failure is said once', () => {
    const failure = { kind: 'connection', text: 'No connection.', retryable: true } as const;
    expect(
      kinds(
        fold({ type: 'turn.started' }, entry({ type: 'failed', failure }), {
          type: 'turn.finished',
          stop: 'failed',
          usage,
          ms: 5,
          text: '',
          error: 'No connection.',
        }),
      ),
    ).toEqual(['note: No connection.']);
  });

  test('what a turn worked is told without the time that questions waited for the person', () => {
    const question = { kind: 'confirm', title: 't', body: '', options: [] } as const;
    const ask = (id: string): EventBody => ({ type: 'ask', ask: id as never, question });
    const settled = (id: string): EventBody => ({
      type: 'ask.settled',
      ask: id as never,
      answer: { kind: 'confirm', value: 'y' },
    });
    const agent = (child: string, background: boolean): EventBody => ({
      type: 'agent.started',
      child: child as SessionId,
      agentType: 'explore',
      label: child,
      background,
    });
    const lastLine = (ms: number, ...steps: readonly (readonly [number, EventBody, string?])[]) => {
      const last = steps.reduce<View>(
        (view, [at, body, session]) => see(view, from(body, (session as SessionId) ?? root), at * 1000),
        emptyView(root),
      );
      return kinds(see(last, from({ ...turnOver, ms }), 999_000)).slice(-1);
    };
    const begun = [1, { type: 'turn.started' }] as const;
    expect(lastLine(200_000, begun)).toEqual(['divider: worked for 3m 20s']);
    // Two that overlap count once.
    const two = [
      [10, ask('a')],
      [20, ask('b')],
      [30, settled('a')],
      [80, settled('b')],
    ] as const;
    expect(lastLine(200_000, begun, ...two)).toEqual(['divider: worked for 2m 10s']);
    expect(lastLine(100_000, begun, ...two)).toEqual([]);
    expect(lastLine(200_000, ...two, [90, { type: 'turn.started' }])).toEqual(['divider: worked for 3m 20s']);
    for (const [background, told] of [
      [false, 'divider: worked for 2m 20s'],
      [true, 'divider: worked for 3m 20s'],
    ] as const)
      expect(
        lastLine(200_000, begun, [2, agent('c', background)], [10, ask('a'), 'c'], [70, settled('a'), 'c']),
      ).toEqual([told]);
  });

  test('questions of any agent stand in one list until they are settled', () => {
    const question = { kind: 'confirm', title: 't', body: '', options: [] } as const;
    const child = from({ type: 'ask', ask: 'a' as never, question }, 'c' as SessionId, 'explorer');
    expect(fold(child).asks.map((one) => one.agent)).toEqual(['explorer']);
    expect(
      fold(child, { type: 'ask.settled', ask: 'a' as never, answer: { kind: 'confirm', value: 'y' } }).asks,
    ).toEqual([]);
  });

  test('a sub-agent is one row: its text stays with it', () => {
    const child = 'c' as SessionId;
    const view = fold(
      { type: 'agent.started', child, label: 'Look', agentType: 'explore', background: true },
      from({ type: 'delta', channel: 'text', text: 'secret' }, child),
      from({ type: 'tool.started', call: 'x' as never, tool: 'Read', subject: 'a.ts', input: {} }, child),
    );
    expect(view.agents.map((agent) => [agent.label, agent.doing, agent.toolCalls])).toEqual([
      ['Look', 'Read a.ts', 1],
    ]);
    expect([view.items, view.stream.tail]).toEqual([[], '']);
  });

  test('an agent is stalled when nothing is heard of it for a minute outside a call, a hook, a question or a rest', () => {
    const child = 'c' as SessionId;
    const begin: EventBody = {
      type: 'agent.started',
      child,
      label: 'Look',
      agentType: 'x',
      background: true,
    };
    const tool = (call: string) => from({ ...started(call) }, child);
    const done = (call: string) => from({ ...finished(call) }, child);
    const of = (...events: readonly (EventBody | SessionEvent)[]) => {
      const [row] = fold(begin, ...events).agents;
      return row && isStalled(row, 62_000);
    };
    const question = { kind: 'confirm', title: 't', body: '', options: [] } as const;
    const hook = { id: 'h', event: 'Stop', label: 'check' };
    expect([
      of(),
      of(tool('1')),
      // One of two calls still runs.
      of(tool('1'), tool('2'), done('1')),
      of(tool('1'), done('1')),
      of(from({ type: 'hook.started', ...hook }, child)),
      of(from({ type: 'ask', ask: 'a' as never, question }, child)),
      of(from({ type: 'compacting', on: true }, child)),
      of(from(turnOver, child)),
      of(
        from({ type: 'retry', attempt: 1, of: 9, delayMs: 90_000, kind: 'rate_limit', text: 'later' }, child),
      ),
    ]).toEqual([true, false, false, true, false, false, false, false, false]);
  });

  test('agents of agents stand under them, and one whose parent has ended stands by itself', () => {
    const agent = (child: string, parent: string, color?: string): SessionEvent => ({
      ...from({
        type: 'agent.started',
        child: child as SessionId,
        label: child,
        agentType: 'x',
        background: true,
      }),
      parent: parent as SessionId,
      ...(color ? { color } : {}),
    });
    const view = fold(
      agent('a', 'root'),
      agent('b', 'root'),
      agent('a1', 'a'),
      agent('a11', 'a1'),
      agent('z', 'gone'),
    );
    expect(treeOf({ view }).map(({ row, depth }) => `${depth} ${row.id}`)).toEqual([
      '0 a',
      '1 a1',
      '2 a11',
      '0 b',
      '0 z',
    ]);
  });

  test('a notice of background work is shown only where its end was not', () => {
    const child = 'c' as SessionId;
    const notice = (session: SessionId) =>
      entry({
        type: 'user',
        origin: { kind: 'agent', name: 'Look', session, ended: 'completed' },
        content: [{ type: 'text', text: '<task-notification>' }],
        display: '<task-notification>',
      });
    const over: EventBody = {
      type: 'agent.finished',
      child,
      status: 'done',
      text: '',
      ms: 9,
      toolCalls: 0,
      tokens: 0,
    };
    const begin: EventBody = {
      type: 'agent.started',
      child,
      label: 'Look',
      agentType: 'x',
      background: true,
    };
    expect(kinds(fold(begin, over, notice(child), notice('other' as SessionId)))).toEqual([
      'agent: ',
      'note: Look: completed',
    ]);
  });

  test('the end of a background agent is told once', () => {
    const child = 'c' as SessionId;
    const view = fold(
      { type: 'agent.started', child, label: 'Look', agentType: 'explore', background: true },
      { type: 'agent.finished', child, status: 'done', text: 'found', ms: 9, toolCalls: 2, tokens: 30 },
    );
    expect([view.agents, view.items.map((item) => item.kind)]).toEqual([[], ['agent']]);
  });

  test('files that a mention brought along are named, not shown', () => {
    expect(
      kinds(
        fold(
          entry({
            type: 'user',
            content: [{ type: 'text', text: 'see @a\n\n<attached path="/a">\nlong\n</attached>' }],
            origin: { kind: 'person' },
          }),
        ),
      ),
    ).toEqual(['user: see @a\n+ /a']);
  });

  test('what a person typed stands for all that was sent with it', () => {
    expect(
      kinds(
        fold(
          entry({
            type: 'user',
            content: [{ type: 'text', text: 'The whole of a skill.' }],
            origin: { kind: 'person' },
            display: '/review src',
          }),
        ),
      ),
    ).toEqual(['user: /review src']);
  });

  test('a retry is over when the model goes on, with a call too', () => {
    const retry = {
      type: 'retry',
      attempt: 1,
      of: 9,
      delayMs: 60_000,
      status: 529,
      kind: 'overloaded',
      text: 'Overloaded.',
    } as const;
    expect(fold(retry).retry).toBeDefined();
    expect(fold(retry, { type: 'tool.announced', tool: 'Bash' }).retry).toBeUndefined();
    expect(fold(retry, started('c')).retry).toBeUndefined();
    expect(fold(retry, reply('on')).retry).toBeUndefined();
  });
});
