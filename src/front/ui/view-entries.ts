import { textOf } from '../../contract/message.ts';
import { protocolWords } from '../../contract/protocol-words.ts';
import type { Entry, Origin } from '../../contract/transcript.ts';
import { safeLine, safeText } from '../../lib/safe-text.ts';
import type { Item } from './item.ts';
import { noStream } from './stream.ts';
import { flushed, noted, type View } from './view-state.ts';

/** Folds a durable fact of the session on screen. */
export function seeEntry(view: View, entry: Entry, now: number): View {
  switch (entry.type) {
    case 'user':
      return seeUser(taken(view, entry.mail?.place), entry, now);
    case 'assistant':
      return seeAssistant(view, entry, now);
    case 'refused': {
      const open = flushed(taken(view, entry.mail?.place), now);
      return noted(
        added(open, { kind: 'user', text: safeText(entry.text) }),
        'warn',
        `Not sent, a hook refused it: ${entry.reason}`,
      );
    }
    case 'failed':
      return { ...noted(flushed(view, now), 'error', entry.failure.text), lastError: entry.failure.text };
    case 'compacted':
      return added(flushed(view, now), {
        kind: 'divider',
        text: `conversation ${entry.how === 'model' ? 'summarised' : 'shortened'}${entry.trigger === 'auto' ? ' to make room' : ''} · ${Math.round(entry.preTokens / 1000)}k tokens before`,
      });
    case 'rewound':
      return added(flushed(view, now), { kind: 'divider', text: rewoundTo(entry.words) });
    case 'note':
      return noted(flushed(view, now), entry.level, entry.text);
    case 'worktree':
      return noted(
        view,
        'info',
        entry.worktree
          ? `Now in worktree ${entry.worktree.name} · ${entry.worktree.path}`
          : `Back in ${entry.cwd}`,
      );
    case 'background':
      return entry.kind === 'agent' || entry.status === 'stopped'
        ? view
        : noted(
            view,
            entry.status === 'failed' || entry.status === 'lost' ? 'warn' : 'info',
            `Background command ${entry.status === 'running' ? 'started' : entry.status}: ${entry.label}`,
          );
    case 'opened':
    case 'mode':
    case 'model':
    case 'cwd':
    case 'directories':
    case 'team':
    case 'seen':
    case 'title':
    case 'grant':
    case 'skill':
    case 'once':
    case 'spent':
    case 'hook':
    case 'checkpoint':
    case 'ended':
    case 'closed':
      return view;
  }
}

function seeUser(view: View, entry: Extract<Entry, { type: 'user' }>, now: number): View {
  const { origin } = entry;
  // Told already, by the agent's own end or as a fact about a command.
  if (origin.kind === 'agent' && origin.ended !== undefined)
    if (origin.session === undefined || view.reported.includes(origin.session)) return view;
  const item = userItem(entry);
  if (!item) return view;
  if (item.kind === 'user' && view.echoed !== undefined && item.text.split('\n+ ')[0] === view.echoed)
    return { ...flushed(view, now), echoed: undefined };
  return added(flushed(view, now), item);
}

/** What a divider says of a rewind to before a prompt. */
export const rewoundTo = (words: string | undefined): string =>
  words ? `back to before: ${safeLine(words, 50)}` : 'conversation rewound';

/** How a user-role message is shown; tool results and reminders are not. */
export function userItem(entry: Extract<Entry, { type: 'user' }>): Item | undefined {
  const pictures = entry.content.filter(
    (block) => block.type === 'image' || block.type === 'document',
  ).length;
  const whole = textOf(entry.content);
  const said = safeText((entry.display ?? whole.replace(attachment, '')) + attachedIn(whole));
  const text =
    pictures > 0 && entry.display === undefined
      ? `${said}${said ? ' ' : ''}[${pictures === 1 ? 'one attachment' : `${pictures} attachments`}]`
      : said;
  if (text.trim() === '') return undefined;
  switch (entry.origin.kind) {
    case 'person':
      return { kind: 'user', text };
    case 'command':
      if (entry.origin.name === 'shell') return ownCommand(text);
      return entry.display === undefined ? undefined : { kind: 'user', text };
    case 'mail':
      return mailItem(text, entry.origin);
    case 'hook':
      return { kind: 'note', level: 'info', text: `Hook ${safeText(entry.origin.label)}: ${text}` };
    case 'agent':
      if (entry.origin.ended !== undefined)
        return { kind: 'note', level: 'info', text: safeText(`${entry.origin.name}: ${entry.origin.ended}`) };
      return entry.display === undefined ? undefined : { kind: 'note', level: 'info', text };
    case 'system':
      return entry.origin.about === 'task' ? takenTask(text) : undefined;
    case 'tools':
      return undefined;
  }
}

/** The task that a teammate was given begins a part of its conversation. */
const takenTask = (text: string): Item | undefined => {
  const [, id, subject] = /^Task (\S+) .*\n\nSubject: (.*)/.exec(text) ?? [];
  return id === undefined ? undefined : { kind: 'divider', text: `task ${id} · ${subject}` };
};

/** Of a letter its summary is enough on the screen; a structured one is said in words. */
function mailItem(text: string, { from, summary, protocol }: Extract<Origin, { kind: 'mail' }>): Item {
  const said = protocol === undefined ? undefined : protocolWords(text);
  const short = summary === undefined ? {} : { short: safeText(summary) };
  return { kind: 'user', text: said === undefined ? text : safeText(said), from: safeText(from), ...short };
}

/** What a person ran with `!`, as it stands in the conversation. */
const ownCommand = (text: string): Item | undefined => {
  const found =
    /<bash-input>([\s\S]*?)<\/bash-input>\n<bash-output exit="([^"]*)">\n([\s\S]*)\n<\/bash-output>/.exec(
      text,
    );
  const [, command = '', exit, output = ''] = found ?? [];
  return found ? { kind: 'shell', command, output, failed: exit !== '0' } : { kind: 'user', text };
};

const attachment = /\n*<attached (?:path|resource)="([^"]*)"( problem)?>[\s\S]*?<\/attached>/g;

/** What a mention brought along is named, not shown. */
const attachedIn = (text: string): string =>
  [...text.matchAll(attachment)]
    .map(([, name = '', problem]) => `\n+ ${name}${problem ? ' (not attached)' : ''}`)
    .join('');

function seeAssistant(view: View, entry: Extract<Entry, { type: 'assistant' }>, now: number): View {
  const full = safeText(
    entry.message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  );
  const shown = view.stream.taken + view.stream.tail;
  // What was not streamed (a resumed reply, a server without deltas) is shown from the entry.
  const missing = full.startsWith(shown) ? full.slice(shown.length) : shown === '' ? full : '';
  const rest =
    missing === ''
      ? view
      : { ...view, stream: { ...view.stream, tail: view.stream.tail + missing, held: '' } };
  return {
    ...flushed(rest, now),
    stream: noStream,
    close: false,
    retry: undefined,
    fresh: 0,
    counted: view.counted + entry.message.usage.output_tokens,
  };
}

const added = (view: View, item: Item): View => ({ ...view, items: [...view.items, item] });

/** A queued message leaves the queue when, and only when, it is in the transcript. */
const taken = (view: View, place: number | undefined): View =>
  place === undefined ? view : { ...view, queue: view.queue.filter((one) => one.place > place) };
