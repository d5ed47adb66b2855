import { safeLine } from '../../lib/safe-text.ts';
import { toolLabel } from './item.ts';
import { draftLines, short } from './item-lines.ts';
import { codeRows } from './markdown.ts';
import { as, blank, type Line, span } from './span.ts';
import { duration, type Look, toolLines } from './tool-lines.ts';
import type { View } from './view-state.ts';
import { clip } from './width.ts';
import { clipLine, wrap, wrapUnder } from './wrap.ts';

/** What is going on above the prompt: the unfinished part of the answer and running tools. */
export function liveLines(view: View, look: Look, now: number, after = false): Line[] {
  const parts: Line[][] = [];
  let calls = 0;
  if (view.thinking) parts.push(thinkingLines(view.thinking.text, look));
  const draft = streamLines(view, look);
  if (draft.length > 0) parts.push(draft);
  // A call that is a question of its own is asked below; an agent that runs stands in the tree under the prompt.
  const elsewhere = new Set<string | undefined>([
    ...view.asks.map(({ question }) => (question.kind === 'choice' ? question.call : undefined)),
    ...view.agents.map((agent) => agent.call),
  ]);
  for (const call of view.tools.filter((one) => one.status !== 'running' || !elsewhere.has(one.call))) {
    calls += 1;
    parts.push(toolLines(call, look, now));
  }
  const first = parts.length - calls;
  return parts.flatMap((part, index) => {
    const goesOn = index === 0 && draft.length > 0 && (view.close || view.stream.fence?.before);
    const above = index > first ? parts[index - 1]?.length === 1 : index === 0 && after;
    return goesOn || (index >= first && part.length === 1 && above) ? part : [blank, ...part];
  });
}

function streamLines(view: View, look: Look): Line[] {
  const { tail, fence } = view.stream;
  if (tail.trim() === '') return [];
  if (!fence) return draftLines(tail, look);
  return codeRows(tail.replace(/\n$/, ''), fence.language, { ...look, width: look.width - 3 }).map(
    (row): Line => [span('  '), ...row],
  );
}

/** The last rows of a thought, dimmed. */
function thinkingLines(text: string, look: Look): Line[] {
  const rows = wrap([as('dim', text.trim().slice(-1200), { italic: true })], look.width - 3);
  return rows.slice(-4).map((row): Line => [span('  '), ...row]);
}

const frames = ['·', '✢', '✳', '✶', '✻', '✽', '✻', '✶', '✳', '✢'];

/** What happens now, how long, how much, and how to stop it. */
export function spinnerLines(view: View, look: Look, now: number, tick: number, activeForm?: string): Line[] {
  // Once it is over somebody is at work again, if only an agent.
  if (view.retry && view.retry.until > now - 1000) {
    const { attempt, of } = view.retry;
    const tries = of > 0 ? ` · attempt ${attempt} of ${of}` : '';
    const left = Math.max(0, Math.ceil((view.retry.until - now) / 1000));
    return [
      blank,
      ...wrapUnder([as('warn', view.retry.text)], look.width - 1, [as('warn', '▲ ')], [span('  ')]).slice(
        0,
        3,
      ),
      [as('dim', `  trying again in ${left}s${tries} · esc to stop`)],
    ];
  }
  if ((!view.busy && !view.compacting) || view.asks.length > 0) return [];
  const doing = verb(view, activeForm);
  const tokens = view.counted + Math.round(view.fresh / 4);
  const facts = [
    duration(now - view.since),
    ...(tokens > 0 ? [`↓ ${short(tokens)} tokens`] : []),
    'esc to interrupt',
    ...(view.tools.some((call) => call.status === 'running' && now - call.since > 5000)
      ? ['ctrl+b background']
      : []),
  ].join(' · ');
  return [
    blank,
    clipLine(
      [
        as('accent', `${frames[tick % frames.length]} `),
        as('accent', `${doing}…`),
        as('faint', `  ${facts}`),
      ],
      look.width - 1,
    ),
  ];
}

function verb(view: View, activeForm?: string): string {
  const hook = view.hooks.find((one) => one.text !== '');
  if (hook) return clip(safeLine(hook.text), 60).replace(/(…|\.+)$/, '');
  if (view.compacting) return 'Summarising the conversation';
  if (view.activity) return clip(view.activity, 60).replace(/(…|\.+)$/, '');
  if (activeForm) return clip(safeLine(activeForm), 60).replace(/(…|\.+)$/, '');
  if (view.announced) return `Preparing ${toolLabel(view.announced)}`;
  const running = view.tools.filter((call) => call.status === 'running');
  if (running.length > 1) return `Running ${running.length} tools`;
  if (running[0]) return `Running ${toolLabel(running[0].tool)}`;
  if (view.thinking) return 'Thinking';
  return view.stream.tail !== '' || view.stream.taken !== '' ? 'Writing' : 'Working';
}

/** What was typed ahead: shown until it is in the transcript. */
export function queueLines(view: View, look: Look): Line[] {
  if (!view.busy || view.queue.length === 0) return [];
  const rows = view.queue
    .slice(0, 4)
    .map(
      (one): Line =>
        clipLine(
          [
            as('faint', '❯ '),
            as('dim', one.text.split('\n', 1)[0] ?? ''),
            as('faint', one.text.includes('\n') ? ' …' : ''),
          ],
          look.width - 10,
        ),
    );
  const first = rows[0] ?? [];
  return [
    blank,
    [...first, as('faint', '  queued')],
    ...rows.slice(1),
    ...(view.queue.length > 4 ? [[as('faint', `  and ${view.queue.length - 4} more`)]] : []),
  ];
}
