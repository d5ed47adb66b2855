/** A place for hooks to run in: a temp project, a scope that keeps what it is told, and the engine itself. */
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody } from '../../src/contract/event.ts';
import type { HookScope, HookSource } from '../../src/contract/hook.ts';
import type { SessionId } from '../../src/contract/ids.ts';
import type { SessionState } from '../../src/contract/state.ts';
import type { HookRunRecord } from '../../src/contract/transcript.ts';
import { createHooks, type HookDeps, type TrialHooks } from '../../src/hooks/dispatcher.ts';
import { type HookOrigin, parseHooks } from '../../src/hooks/parse.ts';
import { trialScope } from '../../src/hooks/trial.ts';

export interface Told {
  readonly events: EventBody[];
  readonly records: HookRunRecord[];
  readonly spent: string[];
  readonly woken: string[];
  readonly later: string[];
}

export interface World {
  readonly project: string;
  readonly hooks: TrialHooks;
  readonly told: Told;
  notices(): readonly string[];
  scope(more?: Partial<HookScope>, session?: Partial<SessionState>): HookScope;
}

export const origin = (more: Partial<HookOrigin> = {}): HookOrigin => ({
  source: 'project',
  path: '/project/.coppice/settings.json',
  foreign: false,
  active: true,
  ...more,
});

/** `Tool(prefix *)` and bare names, enough to show that a filter is asked. */
const plainMatchIf: HookDeps['matchIf'] = (rule, { tool, input }) => {
  const [, name, spec] = /^(\w+)(?:\((.*)\))?$/.exec(rule) ?? [];
  if (name !== tool && `${name}Tool` !== tool && name !== `${tool}Tool`) return false;
  return spec === undefined || String(input.command ?? '').startsWith(spec.replace(/ ?\*$/, ''));
};

export const world = (
  configured: unknown | readonly HookSource[],
  deps: Partial<HookDeps> = {},
): World & { [Symbol.asyncDispose](): Promise<void> } => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'hooks-')));
  mkdirSync(join(project, '.coppice'));
  const sources = Array.isArray(configured)
    ? (configured as readonly HookSource[])
    : [parseHooks(configured, origin({ path: join(project, '.coppice/settings.json') })).source];
  let ids = 0;
  const hooks = createHooks({
    sources: () => sources,
    matchIf: plainMatchIf,
    newId: () => `id-${ids++}`,
    env: () => process.env,
    passCredentials: () => [],
    pid: process.pid,
    httpLimits: () => ({}),
    ...deps,
  });
  const told: Told = { events: [], records: [], spent: [], woken: [], later: [] };
  const scope = (more: Partial<HookScope> = {}, session: Partial<SessionState> = {}): HookScope => {
    const at = trialScope(
      { session_id: 'session-1' },
      {
        cwd: project,
        project,
        transcriptPath: join(project, 'session-1.jsonl'),
        newId: () => 'prompt-1',
        emit: (body) => void told.events.push(body),
        signal: new AbortController().signal,
      },
    );
    return {
      ...at,
      session: { ...at.session, ...session },
      record: async (run) => void told.records.push(run),
      spend: async (key) => void told.spent.push(key),
      wake: async (text) => void told.woken.push(text),
      later: async (text) => void told.later.push(text),
      ...more,
    };
  };
  return {
    project,
    hooks,
    told,
    scope,
    notices: () => told.events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])),
    [Symbol.asyncDispose]: () => hooks.close(),
  };
};

export const sessionId = (id: string) => id as SessionId;

/** One command hook on one event. */
export const one = (
  event: string,
  command: string,
  more: Record<string, unknown> = {},
  matcher?: string,
) => ({
  [event]: [
    { ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command, ...more }] },
  ],
});

export const bash = (command: string) => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 'toolu_1',
});
