import type { SessionEvent } from '../../contract/event.ts';
import { safeText } from '../../lib/safe-text.ts';
import { askedBy } from './agent-rows.ts';
import type { ToolCall } from './item.ts';
import { isEmpty, noStream, received } from './stream.ts';
import { duration } from './tool-lines.ts';
import { seeAgent } from './view-agents.ts';
import { seeEntry } from './view-entries.ts';
import { drainTools, flushed, noted, type View, withAnswerTime } from './view-state.ts';

/** Folds one event; `now` in epoch milliseconds. Text of a running answer only grows here: `flow` lays it out. */
export const see = (view: View, event: SessionEvent, now: number): View =>
  withAnswerTime(seen(view, event, now), now);

function seen(view: View, event: SessionEvent, now: number): View {
  const asked = seeAsk(view, event);
  if (
    event.type === 'agent.started' ||
    event.type === 'agent.background' ||
    event.type === 'agent.finished' ||
    event.session !== view.root
  )
    return seeAgent(asked, event, now);
  switch (event.type) {
    case 'entry':
      return seeEntry(view, event.entry, now);
    case 'queued':
      return {
        ...view,
        queue: [
          ...view.queue.filter((one) => one.place !== event.place),
          { place: event.place, text: safeText(event.text) },
        ],
      };
    case 'turn.started':
      return { ...view, busy: true, since: now, waited: 0, fresh: 0, counted: 0, lastError: undefined };
    case 'request.started':
      return { ...view, retry: undefined, announced: undefined };
    case 'delta':
      return seeDelta(view, event.channel, event.text, now);
    case 'restarted':
      return noted(
        { ...flushed(view, now), stream: noStream },
        'warn',
        `${event.reason} Starting this reply again.`,
      );
    case 'tool.announced':
      return { ...flushed(view, now), announced: event.tool, retry: undefined };
    case 'retry':
      return {
        ...view,
        retry: {
          text: safeText(event.text),
          attempt: event.attempt,
          of: event.of,
          until: now + event.delayMs,
        },
      };
    case 'tool.started': {
      const call: ToolCall = {
        call: event.call,
        tool: event.tool,
        subject: event.subject,
        since: now,
        status: 'running',
        progress: '',
        text: '',
      };
      return {
        ...flushed(view, now),
        announced: undefined,
        retry: undefined,
        tools: [...view.tools.filter((one) => one.call !== event.call), call],
      };
    }
    case 'tool.progress':
      return {
        ...view,
        tools: view.tools.map((one) =>
          one.call === event.call ? { ...one, progress: lastRows(one.progress + event.text) } : one,
        ),
      };
    case 'tool.finished':
      // A refusal was shown when it was made.
      return event.status === 'denied' && !view.tools.some((one) => one.call === event.call)
        ? view
        : seeFinished(view, event, now);
    case 'ask':
    case 'ask.settled':
      return asked;
    case 'denied':
      return view.tools.some((one) => one.call === event.call)
        ? view
        : seeFinished(view, { ...event, status: 'denied', text: event.reason, ms: 0 }, now);
    case 'hook.started':
      return { ...view, hooks: [...view.hooks, { id: event.id, text: safeText(event.statusMessage ?? '') }] };
    case 'hook.finished':
      return seeHook({ ...view, hooks: view.hooks.filter((hook) => hook.id !== event.id) }, event);
    case 'activity':
      return { ...view, activity: event.text === null ? undefined : safeText(event.text) };
    case 'compacting':
      return { ...view, compacting: event.on };
    case 'turn.finished':
      return turnFinished(flushed(view, now), event);
    case 'notice':
      return noted(view, event.level, event.text);
    case 'bye':
      return { ...view, over: true, busy: false };
    case 'stream':
    case 'tasks.changed':
      return view;
  }
}

/** A piece of an answer or a thought. */
export function seeDelta(view: View, channel: 'text' | 'thinking', text: string, now: number): View {
  const fresh = view.fresh + text.length;
  if (channel === 'thinking') {
    const open = isEmpty(view.stream) ? view : flushed(view, now);
    return {
      ...open,
      fresh,
      retry: undefined,
      thinking: { since: open.thinking?.since ?? now, text: (open.thinking?.text ?? '') + safeText(text) },
    };
  }
  const open = view.thinking ? flushed(view, now) : view;
  return { ...open, fresh, retry: undefined, stream: received(open.stream, text) };
}

type Finished =
  | Extract<SessionEvent, { type: 'tool.finished' }>
  | (Extract<SessionEvent, { type: 'denied' }> & {
      status: 'denied';
      text: string;
      ms: number;
      display?: undefined;
    });

function seeFinished(view: View, event: Finished, now: number): View {
  const known = view.tools.find((one) => one.call === event.call);
  const call: ToolCall = {
    ...(known ?? { call: event.call, tool: event.tool, subject: subjectOf(event), since: now, progress: '' }),
    status: event.status,
    text: event.text,
    ms: event.ms,
    ...(event.display ? { display: event.display } : {}),
  };
  const tools = known
    ? view.tools.map((one) => (one.call === event.call ? call : one))
    : [...view.tools, call];
  return drainTools({ ...flushed(view, now), tools });
}

const subjectOf = (event: Finished): string => {
  const input =
    'input' in event && typeof event.input === 'object' && event.input !== null
      ? Object.values(event.input)
      : [];
  return String(input.find((value) => typeof value === 'string') ?? '');
};

function seeAsk(view: View, event: SessionEvent): View {
  if (event.type === 'ask')
    return {
      ...view,
      asks: [
        ...view.asks.filter((one) => one.id !== event.ask),
        askedBy(
          { id: event.ask, session: event.session, agent: event.agent, question: event.question },
          view.agents,
        ),
      ],
    };
  if (event.type === 'ask.settled') return { ...view, asks: view.asks.filter((one) => one.id !== event.ask) };
  return view;
}

function seeHook(view: View, event: Extract<SessionEvent, { type: 'hook.finished' }>): View {
  if (event.outcome === 'success' || event.outcome === 'cancelled') return view;
  // The prompt stands there with the reason.
  if (event.event === 'UserPromptSubmit' && event.outcome === 'blocked') return view;
  const said = safeText(event.stderr || event.stdout).trim();
  const what =
    event.outcome === 'blocked' ? 'blocked this' : event.outcome === 'timeout' ? 'ran out of time' : 'failed';
  return noted(
    view,
    event.outcome === 'blocked' ? 'warn' : 'error',
    `${event.event} hook ${event.label} ${what}${said ? `: ${said}` : '.'}`,
  );
}

function turnFinished(view: View, event: Extract<SessionEvent, { type: 'turn.finished' }>): View {
  // Calls that were cut off without a result still leave the live part.
  const cut = drainTools({
    ...view,
    tools: view.tools.map((one) =>
      one.status === 'running' ? { ...one, status: 'cancelled' as const } : one,
    ),
  });
  const idle: View = {
    ...cut,
    busy: false,
    retry: undefined,
    announced: undefined,
    activity: undefined,
    stream: noStream,
    close: false,
    hooks: [],
  };
  if (event.stop === 'interrupted')
    return {
      ...idle,
      items: [...idle.items, { kind: 'note', level: 'info', text: 'Interrupted. Say what to do instead.' }],
    };
  if (event.error && event.error !== view.lastError)
    return noted(idle, event.stop === 'failed' ? 'error' : 'warn', event.error);
  if (event.stop === 'max_tokens')
    return noted(idle, 'warn', 'The answer was cut at the model’s output limit. Say “go on” to continue.');
  const worked = event.ms - view.waited;
  if (worked >= 60_000 && event.stop !== 'failed')
    return {
      ...idle,
      items: [
        ...idle.items,
        {
          kind: 'divider',
          text: `worked for ${duration(worked)}`,
        },
      ],
    };
  return idle;
}

const lastRows = (text: string): string => (text.length > 8000 ? text.slice(-6000) : text);
