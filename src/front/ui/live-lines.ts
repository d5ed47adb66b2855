import type { TeamLook } from '../../contract/team-look.ts';
import { safeLine } from '../../lib/safe-text.ts';
import { type AgentRow, toolLabel } from './item.ts';
import { draftLines, short } from './item-lines.ts';
import { codeRows } from './markdown.ts';
import { as, blank, type Line, span } from './span.ts';
import { duration, headLine, type Look, toolLines } from './tool-lines.ts';
import type { View } from './view-state.ts';
import { clip } from './width.ts';
import { clipLine, wrap, wrapUnder } from './wrap.ts';

/** What is going on above the prompt: the unfinished part of the answer, running tools and agents. */
export function liveLines(view: View, look: Look, now: number, after = false): Line[] {
  const parts: Line[][] = [];
  let calls = 0;
  if (view.thinking) parts.push(thinkingLines(view.thinking.text, look));
  const draft = streamLines(view, look);
  if (draft.length > 0) parts.push(draft);
  // A call that is a question of its own is asked below; it needs no row that says so.
  const asking = view.asks.map(({ question }) => (question.kind === 'choice' ? question.call : undefined));
  for (const call of view.tools.filter((one) => !asking.includes(one.call))) {
    calls += 1;
    const inside = view.agents.filter((agent) => agent.call === call.call && !agent.background);
    parts.push(
      inside.length > 0
        ? [
            headLine(call, look, now),
            ...inside.map((agent) => agentLine(agent, look, now, '  └ ', call.subject)),
          ]
        : toolLines(call, look, now),
    );
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

/** One agent as a row: name, what it does, how long, how much. */
function agentLine(agent: AgentRow, look: Look, now: number, lead: string, under?: string): Line {
  const quiet = !agent.inTool && !agent.waiting && now - agent.seen > 60_000;
  const state = agent.waiting
    ? as('warn', 'waits for an answer')
    : quiet
      ? as('warn', 'stalled')
      : as(
          'dim',
          clip(agent.doing, Math.max(10, look.width - (agent.label === under ? 0 : agent.label.length) - 30)),
        );
  const facts = [
    duration(now - agent.since),
    ...(agent.tokens > 0 ? [`${short(agent.tokens)} tokens`] : []),
  ].join(' · ');
  return clipLine(
    [
      as('faint', lead),
      ...(agent.label === under && !agent.name ? [] : [span(agent.name ?? agent.label), span('  ')]),
      state,
      as('faint', `  ${facts}`),
    ],
    look.width - 1,
  );
}

/** Background agents under the prompt's spinner; members of the team have a panel of their own. */
export const backgroundLines = (view: View, team: TeamLook | undefined, look: Look, now: number): Line[] => {
  const rows = view.agents.filter(
    (agent) =>
      (agent.background || !view.tools.some((call) => call.call === agent.call)) &&
      !team?.members.some(({ session }) => session === agent.id),
  );
  const shown = rows.slice(0, 5).map((agent) => agentLine(agent, look, now, '  ◦ '));
  return rows.length > 5 ? [...shown, [as('faint', `    and ${rows.length - 5} more agents`)]] : shown;
};

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
      ? ['ctrl+b to the background']
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
