/** What an agent is told and how long it is listened to. */
import { orAborted } from '../lib/deferred.ts';
import type { Conversation } from '../loop/session.ts';
import { type Beginning, originOf } from './beginning.ts';
import type { HostDeps } from './host-deps.ts';
import { lostTasksText } from './lost-tasks.ts';
import type { Roster, Seat } from './roster.ts';
import { begun, firstWords } from './subagent-hooks.ts';

/** What became of the tasks it had when it was stopped, in this process or an earlier one. */
const lostTasks = async (
  { team }: HostDeps,
  seat: Seat,
  { before, mate }: Beginning,
): Promise<readonly string[]> => {
  if (!team || !before) return [];
  const lost = seat.lost.length > 0 ? seat.lost : (mate?.lost ?? []);
  seat.lost = [];
  return await lostTasksText(team.tasks, before.taskList, lost);
};

/** Its first words, with what hooks add. */
export const prompt = async (
  deps: HostDeps,
  seat: Seat,
  beginning: Beginning,
  conversation: Conversation,
): Promise<void> => {
  const { derived, words } = beginning;
  const { request, id } = derived;
  const context = await begun(deps, { id, type: derived.definition.name }, conversation.scope());
  const facts = [...(beginning.facts ?? []), ...(await lostTasks(deps, seat, beginning)), ...context];
  if (words === undefined && facts.length === 0) return;
  const letter = deps.newId();
  const { by, before } = beginning;
  const parent = before?.parent ?? request.parent.id;
  await deps.mailbox.send(id, {
    id: letter,
    text: firstWords(words, facts),
    origin: originOf(request.parent, { by, parent, id: letter }),
  });
};

/** Whoever started agents in the background hears of their ends before it gives its own answer. */
const hearOut = async (
  roster: Roster,
  seat: Seat,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<void> => {
  for (;;) {
    const own = roster
      .seats()
      .filter((one) => one.parent === seat.id && one.background && roster.isRunning(one));
    const stop = conversation.lastEnd()?.stop;
    if (own.length === 0 || stop === 'failed' || stop === 'interrupted') return;
    await orAborted(Promise.all(own.map((one) => one.settled)), signal, seat.halt.signal);
    if (signal.aborted || seat.halt.signal.aborted) return;
    await conversation.idle();
  }
};

/** From its first request to its end: of its own, by its limits or its time, or because somebody stops it. */
export const converse = async (
  roster: Roster,
  seat: Seat,
  { derived, mate }: Beginning,
  conversation: Conversation,
): Promise<void> => {
  const { request } = derived;
  const halt = () => conversation.interrupt();
  const timer = request.timeoutMs === undefined ? undefined : setTimeout(halt, request.timeoutMs);
  request.signal.addEventListener('abort', halt, { once: true });
  await conversation.idle();
  if (mate) await mate.live(conversation, seat);
  else await hearOut(roster, seat, conversation, request.signal);
  clearTimeout(timer);
  request.signal.removeEventListener('abort', halt);
};
