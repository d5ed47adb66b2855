/** Trying hooks out: `coppice hooks run EVENT` and `coppice hooks replay` (ruling 53). */
import * as z from 'zod';
import type { Emit } from '../contract/event.ts';
import type { HookEvent, HookScope, HookVerdict } from '../contract/hook.ts';
import type { SessionId } from '../contract/ids.ts';
import { type Mode, modes } from '../contract/mode.ts';
import type { SessionState } from '../contract/state.ts';
import type { Entry, HookRunRecord } from '../contract/transcript.ts';
import type { TrialHooks } from './dispatcher.ts';
import { eventFacts, hookEvents, isHookEvent } from './events.ts';
import type { Fields } from './input.ts';
import { asFields } from './reply.ts';
import type { Done } from './run-handler.ts';

const trialRun = z.object({
  type: z.enum(['command', 'prompt', 'agent', 'http']),
  label: z.string(),
  source: z.string(),
  path: z.string(),
  exitCode: z.number().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  durationMs: z.number(),
  outcome: z.enum(['success', 'blocked', 'error', 'timeout', 'cancelled']),
  background: z.boolean(),
  /** The message that would have woken the model. */
  wake: z.string().nullable(),
});
export const trialReport = z.object({
  event: z.string(),
  /** How many handlers matched. */
  matched: z.number(),
  runs: z.array(trialRun),
  verdict: z.object({
    decision: z.enum(['allow', 'deny', 'ask', 'block']).nullable(),
    blocked: z.boolean(),
    reason: z.string().nullable(),
    context: z.array(z.string()),
    updatedInput: z.record(z.string(), z.unknown()).nullable(),
    updatedOutput: z.unknown().optional(),
    systemMessages: z.array(z.string()),
    continue: z.boolean(),
    stopReason: z.string().nullable(),
  }),
  /** What a person would have been shown. */
  notices: z.array(z.string()),
});
/** The one object of `coppice hooks run --json`. */
export type TrialReport = z.infer<typeof trialReport>;

/** Reads the event's name and the input document. `usage`: exit 2 with this sentence. */
export const readTrial = (
  name: string,
  document: string | undefined,
): { readonly event: HookEvent; readonly given: Fields } | { readonly usage: string } => {
  if (!isHookEvent(name))
    return { usage: `There is no hook event named ${name}. The events are: ${hookEvents.join(', ')}.` };
  if (document === undefined || document.trim() === '') return { event: name, given: {} };
  try {
    const given = asFields(JSON.parse(document));
    if (given) return { event: name, given };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { usage: `The input is not JSON: ${error.message}` };
  }
  return { usage: 'The input must be one JSON object with the fields of the event.' };
};

export interface TrialPlace {
  readonly cwd: string;
  readonly project: string;
  /** Where the transcript of such a session would lie. */
  readonly transcriptPath: string;
  newId(): string;
  emit: Emit;
  readonly signal: AbortSignal;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isMode = (value: unknown): value is Mode => modes.some((mode) => mode === value);

/** A session that is not there: what the dispatcher needs to know of one, with the given fields put in. */
export const trialScope = (given: Fields, place: TrialPlace): HookScope => {
  const id = (text(given.session_id) ?? place.newId()) as SessionId;
  const mode = isMode(given.permission_mode) ? given.permission_mode : 'default';
  const session: SessionState = {
    id,
    root: id,
    agent: { type: 'main' },
    model: text(given.model) ?? '',
    thinkingTokens: 0,
    cwd: text(given.cwd) ?? place.cwd,
    project: place.project,
    checkout: place.project,
    directories: [],
    mode,
    taskList: id,
    mailRead: {},
    seen: {},
    messages: [],
    turns: 0,
    usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    usageByModel: {},
    contextTokens: 0,
    onceDone: [],
    grants: [],
  };
  const path = text(given.transcript_path) ?? place.transcriptPath;
  return {
    session,
    transcriptPath: path,
    rootTranscriptPath: path,
    mode,
    promptId: place.newId(),
    signal: place.signal,
    emit: place.emit,
    record: async () => undefined,
    wake: async () => undefined,
  };
};

const runOf = ({ placed, ran, ms }: Done): TrialReport['runs'][number] => ({
  type: placed.handler.type,
  label: placed.label,
  source: placed.source.source,
  path: placed.source.path,
  exitCode: ran.exitCode,
  stdout: ran.stdout,
  stderr: ran.stderr,
  durationMs: ms,
  outcome: ran.outcome,
  background: ran.later !== undefined || ran.wake !== undefined,
  wake: ran.wake ?? null,
});

const verdictOf = (verdict: HookVerdict): TrialReport['verdict'] => {
  const denied = verdict.decision === 'deny' || verdict.blocked !== undefined;
  const decision =
    verdict.decision === 'deny'
      ? 'deny'
      : verdict.blocked !== undefined
        ? 'block'
        : verdict.uncertain !== undefined
          ? 'ask'
          : (verdict.decision ?? null);
  return {
    decision,
    blocked: denied,
    reason: verdict.reason ?? verdict.blocked ?? verdict.uncertain ?? null,
    context: [...verdict.context],
    updatedInput: verdict.updatedInput ? { ...verdict.updatedInput } : null,
    ...(verdict.updatedOutput === undefined ? {} : { updatedOutput: verdict.updatedOutput }),
    systemMessages: [...verdict.systemMessages],
    continue: verdict.stop === undefined,
    stopReason: verdict.stop ?? null,
  };
};

/** Runs the hooks of one event as they are configured now; background ones are waited for, `once` is not used up. */
export const runTrial = async (
  hooks: TrialHooks,
  event: HookEvent,
  given: Fields,
  place: TrialPlace,
): Promise<TrialReport> => {
  const notices: string[] = [];
  const emit: Emit = (body) => {
    if (body.type === 'notice') notices.push(body.text);
    place.emit(body);
  };
  const noInput = eventFacts[event].tool && given.tool_name !== undefined ? { tool_input: {} } : {};
  const payload = { ...eventFacts[event].sample, ...noInput, ...given, hook_event_name: event };
  const fired = await hooks.fire(event, payload, trialScope(given, { ...place, emit }), {
    awaitBackground: true,
    keepOnce: true,
  });
  return {
    event,
    matched: fired.matched,
    runs: fired.runs.map(runOf),
    verdict: verdictOf(fired.verdict),
    notices,
  };
};

/** The recorded runs of a session, oldest first. */
export const recordedRuns = (entries: readonly Entry[], event?: string): readonly HookRunRecord[] =>
  entries.flatMap((entry) =>
    entry.type === 'hook' && (event === undefined || entry.run.event === event) ? [entry.run] : [],
  );

export interface Replayed {
  readonly record: HookRunRecord;
  /** Absent: this handler is no longer configured, or no longer matches. */
  readonly now?: TrialReport['runs'][number];
  /** What differs between then and now, in words; empty: the same. */
  readonly differences: readonly string[];
}

/** Runs recorded hooks again with their recorded input and says what differs. */
export const replayRuns = async (
  hooks: TrialHooks,
  records: readonly HookRunRecord[],
  place: TrialPlace,
): Promise<readonly Replayed[]> => {
  const replayed: Replayed[] = [];
  for (const record of records) {
    const input = asFields(record.input);
    if (!isHookEvent(record.event) || !input) continue;
    const fired = await hooks.fire(record.event, input, trialScope(input, place), {
      awaitBackground: true,
      keepOnce: true,
      only: ({ key, label, handler }) =>
        record.key === undefined
          ? label === record.label && handler.type === record.type
          : key === record.key,
    });
    const first = fired.runs[0];
    const now = first ? runOf(first) : undefined;
    replayed.push({ record, ...(now ? { now } : {}), differences: differencesOf(record, now) });
  }
  return replayed;
};

const differencesOf = (
  record: HookRunRecord,
  now: TrialReport['runs'][number] | undefined,
): readonly string[] => {
  if (!now) return ['no hook of the present configuration is this one'];
  const names = ['outcome', 'exitCode', 'stdout', 'stderr'] as const;
  return names
    .filter((name) => record[name] !== now[name])
    .map((name) => `${name} was ${JSON.stringify(record[name])}, is ${JSON.stringify(now[name])}`);
};
