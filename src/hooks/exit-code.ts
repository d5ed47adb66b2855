/** The meaning of a hook process's end: exit codes and printed JSON, for waited and for background hooks (ruling 21, 23). */
import { type HookEvent, type HookVerdict, noVerdict } from '../contract/hook.ts';
import { canBlock, eventFacts } from './events.ts';
import type { ProcessEnd } from './process.ts';
import { asFields, type Reply, readReply } from './reply.ts';
import type { Ran } from './runner.ts';
import { fold, refusal, refuses } from './verdict.ts';

interface About {
  readonly event: HookEvent;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly input: string;
  readonly by: string;
}

type Printed =
  | { readonly kind: 'json'; readonly reply: Reply }
  | { readonly kind: 'text'; readonly text: string; readonly broken: boolean };

const readPrinted = (about: About, stdout: string): Printed => {
  const text = stdout.trim();
  if (!text.startsWith('{')) return { kind: 'text', text, broken: false };
  try {
    const fields = asFields(JSON.parse(text));
    if (fields) return { kind: 'json', reply: readReply(about.event, about.payload, fields, about.by) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  // A hook that hands its input on, cut off by the cap, says nothing.
  if (about.input.startsWith(text)) return { kind: 'text', text: '', broken: false };
  return { kind: 'text', text, broken: true };
};

const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.slice(0, 300) ?? '';

/**
 * Interpreters answer 2 when the script is missing or the command line cannot be read: that is no decision of a hook.
 * Before a tool call it still blocks, since a gate that is missing must not open.
 */
const NOT_STARTED =
  /^(?:\S*python[\d.]*: can't open file .*\[Errno \d+\]|\S*(?:bash|zsh): -c: line \d+: (?:syntax error|unexpected EOF)|\S*sh: \d+: (?:cannot|can't) open )/i;

const neverStarted = (code: number | null, stderr: string): boolean =>
  code === 2 && NOT_STARTED.test(stderr.trimStart());

/** Shells report a killed child as 128 and its signal. */
const wasKilled = (end: ProcessEnd): boolean =>
  end.kind === 'exited' && (end.code === null || end.code === 137 || end.code === 143);

const trouble = (end: ProcessEnd, seconds: number): string => {
  if (end.kind === 'failed') return `could not start: ${end.error}`;
  if (end.kind === 'timeout') return `was ended after ${seconds} s, its time limit`;
  return `was killed${end.signal ? ` (${end.signal})` : ''}`;
};

const nothing = (end: ProcessEnd) => ({
  exitCode: end.code,
  stdout: end.stdout,
  stderr: end.stderr,
  verdict: noVerdict,
});

/** The reading of a hook that the agent waited for. */
export const readEnd = (about: About, end: ProcessEnd, seconds: number): Ran => {
  const { event, by } = about;
  const base = nothing(end);
  if (end.kind === 'cancelled') return { ...base, outcome: 'cancelled', notices: [] };
  const name = `${event} hook ${by}`;
  if (end.kind !== 'exited' || wasKilled(end)) {
    const why = `${name} ${trouble(end, seconds)}.`;
    return { ...base, outcome: end.kind === 'timeout' ? 'timeout' : 'error', notices: [why], unsure: why };
  }
  if (event !== 'PreToolUse' && neverStarted(end.code, end.stderr)) {
    const why = `${name} could not start: ${firstLine(end.stderr)}`;
    return { ...base, outcome: 'error', notices: [why], unsure: why };
  }
  const printed = readPrinted(about, end.stdout);
  const notices = [
    ...(end.cut ? [`${name} printed more than 1 MB; the rest was dropped.`] : []),
    ...(printed.kind === 'text' && printed.broken
      ? [`${name} printed something that begins like JSON but is not; it counts as plain text.`]
      : []),
    ...(printed.kind === 'json'
      ? [...printed.reply.faults, ...printed.reply.remarks].map((one) => `${name}: ${one}.`)
      : []),
  ];
  const said = printed.kind === 'json' ? printed.reply.verdict : noVerdict;
  const faulty = printed.kind === 'json' && printed.reply.faults.length > 0;

  if (end.code === 0) {
    const plain = plainText(event, printed);
    // What it decided may stand in the part that was dropped.
    if (end.cut && printed.kind === 'text' && printed.broken)
      return { ...base, outcome: 'error', verdict: plain, notices, unsure: notices[0] };
    const outcome = refuses(said) ? 'blocked' : faulty ? 'error' : 'success';
    return { ...base, outcome, verdict: fold([said, plain]), notices };
  }
  if (end.code === 2 || (event === 'WorktreeCreate' && !refuses(said))) {
    const words =
      end.stderr.trim() || (printed.kind === 'text' ? printed.text : '') || `${by} gave no reason.`;
    const outcome = canBlock(event, about.payload) ? 'blocked' : 'error';
    if (refuses(said)) return { ...base, outcome, verdict: said, notices };
    // The exit code has spoken: printed JSON may add to it, but not take it back.
    const { decision: _, reason: __, updatedInput: ___, ...rest } = said;
    return { ...base, outcome, verdict: fold([refusal(event, about.payload, words, by), rest]), notices };
  }
  if (refuses(said)) return { ...base, outcome: 'blocked', verdict: said, notices };
  const line = firstLine(end.stderr);
  const why = `${name} failed with exit code ${end.code}${line ? `: ${line}` : '.'}`;
  const spoke = printed.kind === 'json' && printed.reply.says;
  return { ...base, outcome: 'error', verdict: said, notices: spoke ? notices : [...notices, why] };
};

/** Plain text is context for the events that take it; for a new worktree the last line is its path. */
const plainText = (event: HookEvent, printed: Printed): HookVerdict => {
  if (printed.kind !== 'text' || printed.text === '') return noVerdict;
  if (event === 'WorktreeCreate')
    return { ...noVerdict, worktreePath: printed.text.split('\n').at(-1)?.trim() };
  return eventFacts[event].context === 'plain' ? { ...noVerdict, context: [printed.text] } : noVerdict;
};

/** The reading of a background hook: it decides nothing; it may wake the model or leave words for it. */
export const readBackgroundEnd = (about: About, end: ProcessEnd, seconds: number, wakes: boolean): Ran => {
  const base = nothing(end);
  if (end.kind === 'cancelled') return { ...base, outcome: 'cancelled', notices: [] };
  const name = `${about.event} hook ${about.by}`;
  if (end.kind !== 'exited') {
    const why = `${name} ${trouble(end, seconds)}.`;
    return { ...base, outcome: end.kind === 'timeout' ? 'timeout' : 'error', notices: [why] };
  }
  if (wakes && end.code === 2) {
    if (neverStarted(end.code, end.stderr))
      return { ...base, outcome: 'error', notices: [`${name} could not start: ${firstLine(end.stderr)}`] };
    const text = end.stdout.trim() === '' ? end.stderr : end.stdout;
    const wake = text.trim() === '' ? `${name} ended with exit code 2 and printed nothing.` : text;
    return { ...base, outcome: 'success', notices: [], wake };
  }
  return { ...base, outcome: 'success', notices: [], later: wordsFor(end.stdout) };
};

/** `additionalContext` and `systemMessage` of a background hook, both for the model. */
export const wordsFor = (stdout: string): readonly string[] => {
  const fields = lastObject(stdout);
  if (!fields) return [];
  const own = asFields(fields.hookSpecificOutput);
  return [own?.additionalContext, fields.systemMessage].filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );
};

/** A hook that went to the background printed `{"async": true}` first: what counts is the object after it. */
const lastObject = (stdout: string): Readonly<Record<string, unknown>> | undefined => {
  const text = stdout.trim();
  const after = text.startsWith('{') && text.includes('\n') ? text.slice(text.indexOf('\n') + 1) : '';
  for (const one of [text, after.trim(), text.split('\n').at(-1) ?? '']) {
    if (!one.startsWith('{')) continue;
    try {
      const fields = asFields(JSON.parse(one));
      if (fields) return fields;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
};
