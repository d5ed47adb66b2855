/** A session over a real model client and a scripted server, with tools and rules of the test's own. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBus } from '../../src/app/bus.ts';
import type { Answer, Question } from '../../src/contract/ask.ts';
import type { SessionEvent } from '../../src/contract/event.ts';
import {
  type HookEvent,
  type HookPayloads,
  type Hooks,
  type HookVerdict,
  noVerdict,
} from '../../src/contract/hook.ts';
import type { AskId, SessionId } from '../../src/contract/ids.ts';
import type { Judgement } from '../../src/contract/permission.ts';
import type { SessionState } from '../../src/contract/state.ts';
import type { PreparedCall, Tool, ToolContext, ToolOutcome } from '../../src/contract/tool.ts';
import { createAsks } from '../../src/loop/asks.ts';
import type { JudgedCall, LoopDeps } from '../../src/loop/deps.ts';
import { fold } from '../../src/loop/fold.ts';
import type { Limits } from '../../src/loop/purse.ts';
import { openSession } from '../../src/loop/session.ts';
import { createModelClient } from '../../src/model/anthropic.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { modelServer } from '../support/model-server.ts';

export interface Fired {
  readonly event: HookEvent;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A tool whose input is `{text}` and whose work is given. */
export const tool = (
  name: string,
  work: (input: { readonly text: string }, ctx: ToolContext) => Promise<ToolOutcome> | ToolOutcome,
  traits: Partial<PreparedCall> = {},
): Tool => ({
  schema: {
    name,
    description: `${name} of the test`,
    input_schema: { type: 'object', properties: { text: { type: 'string' } } },
  },
  prepare(raw) {
    const { text } = (raw ?? {}) as { text?: unknown };
    if (typeof text !== 'string') return { invalid: `${name}: text must be a string. Send {"text": "..."}.` };
    return {
      input: { text },
      subject: text,
      readOnly: false,
      parallel: false,
      run: async (ctx) => work({ text }, ctx),
      ...traits,
    };
  },
});

export const ok = (text: string): ToolOutcome => ({ status: 'ok', text });

interface Wish {
  readonly tools?: readonly Tool[];
  readonly judge?: (call: JudgedCall, state: SessionState) => Partial<Judgement>;
  readonly hook?: (fired: Fired) => Partial<HookVerdict> | undefined;
  readonly answer?: (question: Question) => Answer | undefined;
  readonly limits?: Limits;
  readonly window?: number;
  readonly resume?: SessionId;
  readonly home?: string;
  readonly deps?: Partial<LoopDeps>;
  readonly news?: (state: SessionState) => readonly string[];
}

export const openHouse = async (server: Awaited<ReturnType<typeof modelServer>>, wish: Wish = {}) => {
  const home = wish.home ?? (await mkdtemp(join(tmpdir(), 'coppice-house-')));
  const project = '/project';
  const stores = await openStores({ home: join(home, '.coppice'), project, version: '0.1.0', scratch: home });
  const id = wish.resume ?? (randomUUID() as SessionId);
  const bus = createBus(id, () => []);
  const seen: SessionEvent[] = [];
  bus.listen((event) => seen.push(event));
  const fired: Fired[] = [];
  const hooks: Hooks = {
    listens: () => true,
    async dispatch<E extends HookEvent>(event: E, payload: HookPayloads[E]) {
      const one: Fired = { event, payload: payload as Readonly<Record<string, unknown>> };
      fired.push(one);
      return { ...noVerdict, ...wish.hook?.(one) };
    },
    ...({} as object),
  } as Hooks;
  const asks = createAsks({
    newId: () => randomUUID() as AskId,
    standIn: wish.answer,
    emit: (session, body) => bus.emit({ session, agent: 'main' }, body),
  });
  const model = createModelClient({ baseUrl: server.url, apiKey: 'sk-test-CANARY', retryBaseMs: 1, env: {} });
  const deps: LoopDeps = {
    model,
    hooks,
    mailbox: stores.mailbox,
    asks,
    emit: bus.emit,
    tools: () => wish.tools ?? [],
    system: () => [{ type: 'text', text: 'system of the test' }],
    opening: async () => [{ type: 'text', text: 'instructions' }],
    news: async (state) => wish.news?.(state) ?? [],
    ledger: async () => ['open task 1'],
    facts: (name) => ({ id: name, window: wish.window ?? 200_000, maxOutput: 8000 }),
    cost: () => 0,
    judge: (call, state) => ({
      decision: 'allow',
      reason: 'test',
      by: 'default',
      trace: [],
      suggestions: [],
      ...wish.judge?.(call, state),
    }),
    remember: async () => undefined,
    planFile: () => '/plans/test.md',
    render: async (mail) => ({ content: [{ type: 'text', text: mail.text }], effects: [] }),
    entries: async (path) => (await stores.transcripts.load(path)).entries,
    branch: () => 'main',
    exists: async () => true,
    now: () => new Date(),
    newId: randomUUID,
    partials: false,
    autoCompact: () => 0.9,
    ...wish.deps,
  };
  const writer = await stores.transcripts.open(id, project);
  if (!('append' in writer)) throw new Error(JSON.stringify(writer));
  const before = wish.resume ? fold(id, (await stores.transcripts.load(writer.path)).entries) : undefined;
  const session = await openSession(deps, {
    id,
    entry: {
      type: 'opened',
      source: before ? 'resume' : 'startup',
      agent: { type: 'main' },
      root: id,
      cwd: project,
      project,
      model: 'claude-test',
      mode: 'default',
      taskList: id,
    },
    before,
    writer,
    rootTranscriptPath: writer.path,
    boxes: [id],
    limits: wish.limits ?? {},
    session: { root: true },
  });
  return {
    session,
    id,
    home,
    seen,
    fired,
    asks,
    transcript: () => stores.transcripts.load(writer.path),
    /** Says it and waits until all is quiet. */
    async say(text: string) {
      await session.send(text);
      await session.idle();
      return session.lastEnd();
    },
    events: (event: HookEvent) => fired.filter((one) => one.event === event).map((one) => one.payload),
    async close() {
      await session.close('other');
      if (!wish.resume) await rm(home, { recursive: true, force: true });
    },
  };
};
