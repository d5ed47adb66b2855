import type { Answer, OpenAsk, Question } from '../../src/contract/ask.ts';
import type { EventBody, SessionEvent } from '../../src/contract/event.ts';
import type { AskId, CallId, SessionId } from '../../src/contract/ids.ts';
import type { Session } from '../../src/contract/session.ts';
import type { SessionState } from '../../src/contract/state.ts';
import type { EntryBody } from '../../src/contract/transcript.ts';

/** A session without a loop: emits what a test tells it to and remembers what the screen asked of it. */
export interface DemoSession {
  readonly session: Session;
  emit(body: EventBody, from?: { readonly session: string; readonly agent: string }): void;
  entry(body: EntryBody): void;
  /** Streams an answer in chunks of a few characters. */
  say(text: string, chunk?: number, pauseMs?: number): Promise<void>;
  think(text: string): void;
  /** The reply is complete: the entry that the loop records. */
  replied(text: string, tokens?: number): void;
  tool(call: string, tool: string, subject: string, input?: unknown): void;
  toolDone(call: string, tool: string, done: Partial<Extract<EventBody, { type: 'tool.finished' }>>): void;
  ask(question: Question, agent?: string): Promise<Answer>;
  user(text: string): void;
  turn(): void;
  done(over?: Partial<Extract<EventBody, { type: 'turn.finished' }>>): void;
  /** Calls of the screen, in order. */
  readonly calls: { readonly name: string; readonly with: unknown }[];
  /** Called with what the person sends. */
  onSend: (text: string) => void;
}

const usage = {
  input_tokens: 10,
  output_tokens: 50,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export function demoSession(over: Partial<SessionState> = {}): DemoSession {
  const id = '11111111-1111-4111-8111-111111111111' as SessionId;
  const readers = new Set<(event: SessionEvent) => void>();
  const asks = new Map<AskId, { open: OpenAsk; resolve: (answer: Answer) => void }>();
  const calls: DemoSession['calls'] = [];
  let [seq, busy, mode] = [0, false, over.mode ?? ('default' as const)];
  const state = (): SessionState => ({
    id,
    root: id,
    agent: { type: 'main' },
    model: 'claude-sonnet-4-5',
    thinkingTokens: 0,
    cwd: '/home/ada/shop',
    project: '/home/ada/shop',
    checkout: '/home/ada/shop',
    directories: [],
    taskList: id,
    mailRead: {},
    seen: {},
    messages: [],
    turns: 0,
    usage,
    usageByModel: {},
    contextTokens: 0,
    onceDone: [],
    grants: [],
    ...over,
    mode,
  });
  const demo: DemoSession = {
    calls,
    onSend: () => {},
    emit(body, from) {
      const event: SessionEvent = {
        seq: ++seq,
        session: (from?.session ?? id) as SessionId,
        agent: from?.agent ?? 'main',
        ...body,
      };
      for (const reader of readers) reader(event);
    },
    entry(body) {
      demo.emit({
        type: 'entry',
        entry: { ...body, uuid: `e${seq}`, parentUuid: null, timestamp: '2026-01-01T00:00:00.000Z' },
      });
    },
    async say(text, chunk = 7, pauseMs = 0) {
      for (let at = 0; at < text.length; at += chunk) {
        demo.emit({ type: 'delta', channel: 'text', text: text.slice(at, at + chunk) });
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    },
    think: (text) => demo.emit({ type: 'delta', channel: 'thinking', text }),
    replied(text, tokens = 120) {
      demo.entry({
        type: 'assistant',
        message: {
          role: 'assistant',
          id: 'msg',
          model: 'claude-sonnet-4-5',
          content: [{ type: 'text', text }],
          stop_reason: 'end_turn',
          usage: { ...usage, output_tokens: tokens },
        },
      });
    },
    tool: (call, tool, subject, input = {}) =>
      demo.emit({ type: 'tool.started', call: call as CallId, tool, subject, input }),
    toolDone: (call, tool, done) =>
      demo.emit({
        type: 'tool.finished',
        call: call as CallId,
        tool,
        status: 'ok',
        text: '',
        ms: 40,
        ...done,
      }),
    ask(question, agent = 'main') {
      const ask = `ask-${seq}` as AskId;
      return new Promise((resolve) => {
        asks.set(ask, { open: { id: ask, session: id, agent, question }, resolve });
        demo.emit({ type: 'ask', ask, question }, { session: id, agent });
      });
    },
    user: (text) =>
      demo.entry({ type: 'user', content: [{ type: 'text', text }], origin: { kind: 'person' } }),
    turn() {
      busy = true;
      demo.emit({ type: 'turn.started' });
    },
    done(end = {}) {
      busy = false;
      demo.emit({ type: 'turn.finished', stop: 'end_turn', usage, ms: 900, text: '', ...end });
    },
    session: {
      id,
      state,
      async send(text) {
        calls.push({ name: 'send', with: text });
        demo.onSend(text);
      },
      errand: (work) => work({ signal: new AbortController().signal, letGo: new Promise(() => {}) }),
      onErrand: () => false,
      async aside() {
        return { text: 'an answer on the side' };
      },
      async entries() {
        return [];
      },
      async rewind() {
        return undefined;
      },
      async unsend() {
        calls.push({ name: 'unsend', with: undefined });
        return [];
      },
      answer(ask, answer) {
        calls.push({ name: 'answer', with: answer });
        asks.get(ask)?.resolve(answer);
        asks.delete(ask);
        demo.emit({ type: 'ask.settled', ask, answer });
      },
      openAsks: () => [...asks.values()].map((one) => one.open),
      interrupt() {
        calls.push({ name: 'interrupt', with: undefined });
        for (const [ask] of asks)
          demo.session.answer(ask, { kind: 'none', reason: 'interrupted', source: 'interrupt' });
        if (busy) demo.done({ stop: 'interrupted' });
      },
      background: () => void calls.push({ name: 'background', with: undefined }),
      async setMode(next) {
        calls.push({ name: 'setMode', with: next });
        mode = next;
      },
      record: async (effect) => void calls.push({ name: 'record', with: effect }),
      compact: async (focus) => void calls.push({ name: 'compact', with: focus }),
      async *events() {},
      listen(reader) {
        readers.add(reader);
        return () => readers.delete(reader);
      },
      busy: () => busy,
      idle: async () => {},
      close: async () => {},
    },
  };
  return demo;
}
