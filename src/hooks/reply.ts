/** Reads the JSON that a command prints or a server answers (conventions 1, "Reading output"). */
import * as z from 'zod';
import { type HookEvent, type HookVerdict, noVerdict } from '../contract/hook.ts';
import { eventFacts } from './events.ts';
import { refusal } from './verdict.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Reply {
  readonly verdict: HookVerdict;
  /** One sentence per field that is not what it must be; such a field counts for nothing, the others stand. */
  readonly faults: readonly string[];
  /** Things said that this event or this program does not follow. */
  readonly remarks: readonly string[];
  /** False for `{}` and for objects without a single known field. */
  readonly says: boolean;
}

const record = z.record(z.string(), z.unknown());
export const asFields = (value: unknown): Fields | undefined => record.safeParse(value).data;

/** OSC 0, 1, 2, 9, 99, 777 without control characters inside, and BEL. */
const TERMINAL = /^(?:\x1b\](?:0|1|2|9|99|777);[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\)|\x07)+$/;

const kinds = {
  string: z.string(),
  boolean: z.boolean(),
  object: record,
  strings: z.array(z.string()),
  list: z.array(z.unknown()),
} as const;

/** Takes known fields out of an object, minding a fault for each that has the wrong type; null is absent. */
const reader = (fields: Fields, within: string, faults: string[]) => {
  const take = <Kind extends keyof typeof kinds>(
    name: string,
    kind: Kind,
  ): z.output<(typeof kinds)[Kind]> | undefined => {
    const value = fields[name];
    if (value === undefined || value === null) return undefined;
    const parsed = kinds[kind].safeParse(value);
    if (parsed.success) return parsed.data as z.output<(typeof kinds)[Kind]>;
    faults.push(`${within}${name} must be ${kind === 'strings' ? 'a list of strings' : `a ${kind}`}`);
    return undefined;
  };
  return take;
};

const words = { block: 'block', deny: 'block', approve: 'allow', allow: 'allow', ask: 'ask' } as const;
const neutral = ['continue', 'none', 'defer', ''];

const topDecision = (value: unknown, faults: string[]): 'block' | 'allow' | 'ask' | undefined => {
  if (value === undefined || value === null || asFields(value)) return undefined;
  if (typeof value === 'string') {
    const word = value.trim().toLowerCase();
    if (Object.hasOwn(words, word)) return words[word as keyof typeof words];
    if (neutral.includes(word)) return undefined;
  }
  faults.push('decision must be "block" or "approve"');
  return undefined;
};

/** The event a reply names must be the one that fired; Stop hooks of agents fire as SubagentStop. */
const isFor = (named: string, event: HookEvent): boolean =>
  named === event || (named.endsWith('Stop') && (event === 'Stop' || event === 'SubagentStop'));

/** Reads one reply. Never throws; unknown keys are nobody's business. `by` names the hook. */
export const readReply = (event: HookEvent, payload: Fields, reply: Fields, by: string): Reply => {
  const faults: string[] = [];
  const remarks: string[] = [];
  const top = reader(reply, '', faults);
  const given = top('hookSpecificOutput', 'object') ?? {};
  const named = given.hookEventName;
  const strange = typeof named === 'string' && !isFor(named, event);
  if (strange) faults.push(`hookSpecificOutput names ${named}, but the event is ${event}`);
  const own = strange ? {} : given;
  const specific = reader(own, 'hookSpecificOutput.', faults);

  const systemMessage = top('systemMessage', 'string');
  const goOn = top('continue', 'boolean');
  const stopReason = top('stopReason', 'string');
  const reason = top('reason', 'string');
  const sequence = top('terminalSequence', 'string');
  const safe = sequence !== undefined && TERMINAL.test(sequence);
  if (sequence !== undefined && !safe)
    faults.push('terminalSequence may hold titles, notifications and bells only');
  const context = specific('additionalContext', 'string');
  const why = reason ?? systemMessage ?? `${by} gave no reason.`;

  const said: HookVerdict[] = [
    {
      ...noVerdict,
      ...(systemMessage ? { systemMessages: [systemMessage] } : {}),
      ...(goOn === false ? { stop: stopReason ?? `${by} stopped the session.` } : {}),
      ...(context && eventFacts[event].context ? { context: [context] } : {}),
      ...(safe && sequence ? { terminalSequences: [sequence] } : {}),
    },
  ];
  const decision = topDecision(reply.decision, faults);
  if (event === 'PreToolUse') said.push(preToolUse(own, { decision, why, reason, by, faults, remarks }));
  else if (event === 'PermissionRequest') said.push(permissionRequest(own, reply, by, faults));
  if (event !== 'PreToolUse' && decision === 'block') said.push(refusal(event, payload, why, by));
  said.push(others(event, reply, own, faults));
  const verdict = said.reduce(merge);
  return { verdict, faults, remarks, says: JSON.stringify(verdict) !== JSON.stringify(noVerdict) };
};

/** Parts of one reply never contradict each other: a plain union. */
const merge = (a: HookVerdict, b: HookVerdict): HookVerdict => ({
  ...a,
  ...b,
  context: [...a.context, ...b.context],
  systemMessages: [...a.systemMessages, ...b.systemMessages],
});

interface Said {
  readonly decision: 'block' | 'allow' | 'ask' | undefined;
  readonly why: string;
  readonly reason: string | undefined;
  readonly by: string;
  readonly faults: string[];
  readonly remarks: string[];
}

const preToolUse = (own: Fields, said: Said): HookVerdict => {
  const take = reader(own, 'hookSpecificOutput.', said.faults);
  const updatedInput = take('updatedInput', 'object');
  const update = updatedInput ? { updatedInput } : {};
  const wanted = take('permissionDecision', 'string')?.trim().toLowerCase();
  const because = take('permissionDecisionReason', 'string');
  const known = wanted === 'allow' || wanted === 'ask' || wanted === 'deny' || wanted === 'defer';
  if (wanted !== undefined && !known) said.faults.push('permissionDecision must be "allow", "deny" or "ask"');
  if (wanted === 'defer') said.remarks.push('permissionDecision "defer" counts as no decision');
  const legacy = wanted === undefined && said.decision !== 'block' ? said.decision : undefined;
  const decision =
    wanted === 'deny' || said.decision === 'block'
      ? 'deny'
      : wanted === 'allow' || wanted === 'ask'
        ? wanted
        : legacy;
  if (decision === undefined) return { ...noVerdict, ...update };
  if (decision === 'deny') return refusal('PreToolUse', {}, because ?? said.why, said.by);
  const text = because ?? said.reason;
  return { ...noVerdict, decision, ...(text === undefined ? {} : { reason: text }), ...update };
};

const permissionRequest = (own: Fields, reply: Fields, by: string, faults: string[]): HookVerdict => {
  const given = asFields(own.decision) ?? asFields(reply.decision);
  if (!given) return noVerdict;
  const take = reader(given, 'decision.', faults);
  const behavior = take('behavior', 'string');
  if (behavior === 'allow') {
    const updatedInput = take('updatedInput', 'object');
    const permissionUpdates = take('updatedPermissions', 'list');
    return {
      ...noVerdict,
      decision: 'allow',
      ...(updatedInput ? { updatedInput } : {}),
      ...(permissionUpdates ? { permissionUpdates } : {}),
    };
  }
  if (behavior === 'deny') {
    const reason = take('message', 'string') ?? take('reason', 'string') ?? `${by} denied this call.`;
    const interrupt = take('interrupt', 'boolean');
    return {
      ...noVerdict,
      decision: 'deny',
      reason,
      blocked: reason,
      blockedBy: by,
      ...(interrupt ? { interrupt } : {}),
    };
  }
  if (behavior !== undefined) faults.push('decision.behavior must be "allow" or "deny"');
  return noVerdict;
};

/** The fields that belong to one event alone. */
const others = (event: HookEvent, reply: Fields, own: Fields, faults: string[]): HookVerdict => {
  const take = reader(own, 'hookSpecificOutput.', faults);
  const watchPaths = ['SessionStart', 'CwdChanged', 'FileChanged'].includes(event)
    ? take('watchPaths', 'strings')
    : undefined;
  const sessionTitle =
    event === 'SessionStart' || event === 'UserPromptSubmit' ? take('sessionTitle', 'string') : undefined;
  const first = event === 'SessionStart' ? take('initialUserMessage', 'string') : undefined;
  const reload = event === 'SessionStart' ? take('reloadSkills', 'boolean') : undefined;
  const retry =
    event === 'PermissionDenied'
      ? (take('retry', 'boolean') ?? reader(reply, '', faults)('retry', 'boolean'))
      : undefined;
  const suppress = event === 'UserPromptSubmit' ? take('suppressOriginalPrompt', 'boolean') : undefined;
  const path =
    event === 'WorktreeCreate'
      ? (take('worktreePath', 'string') ?? reader(reply, '', faults)('worktreePath', 'string'))
      : undefined;
  const output =
    event === 'PostToolUse' ? (own.updatedToolOutput ?? own.updatedMCPToolOutput ?? undefined) : undefined;
  return {
    ...noVerdict,
    ...(watchPaths ? { watchPaths } : {}),
    ...(sessionTitle ? { sessionTitle } : {}),
    ...(first ? { initialUserMessage: first } : {}),
    ...(reload ? { reloadSkills: true } : {}),
    ...(retry ? { retry: true } : {}),
    ...(suppress ? { suppressPrompt: true } : {}),
    ...(path ? { worktreePath: path } : {}),
    ...(output === undefined ? {} : { updatedOutput: output }),
  };
};
