import type { AgentInfo } from '../../contract/agent.ts';
import type { SessionId } from '../../contract/ids.ts';
import type { Entry } from '../../contract/transcript.ts';
import { safeText } from '../../lib/safe-text.ts';
import type { Dialogs } from './dialogs.ts';
import { lookOf } from './frame.ts';
import { pastItems } from './history.ts';
import type { Host } from './host.ts';
import { stackedLines } from './item-lines.ts';
import { pageOf, withLines } from './page.ts';
import type { Line } from './span.ts';
import { memberState, memberTasks } from './team-lines.ts';

/** How often an open conversation is read again, in milliseconds. */
const freshMs = 700;

export type ConversationPages = ReturnType<typeof conversationPages>;

/** Whole conversations on a page of their own, live: this one and those of agents. */
export function conversationPages(host: Host, dialogs: Dialogs) {
  const { store, ports } = host;

  const linesOf = (entries: readonly Entry[], whole: boolean): Line[] => {
    const state = store.get();
    const look = { ...lookOf(state, whole), width: state.columns - 1 };
    return [...stackedLines(pastItems(entries), look).lines];
  };

  const open = async (
    title: () => string,
    read: () => Promise<readonly Entry[]>,
    say?: (text: string) => Promise<string | undefined>,
  ): Promise<void> => {
    let entries = await read();
    let whole = true;
    const show = () =>
      store.update((state) =>
        state.page
          ? {
              ...state,
              page: { ...withLines(state.page, linesOf(entries, whole), state.rows), title: title(), whole },
            }
          : state,
      );
    const page = { ...pageOf(title(), linesOf(entries, whole), store.get().rows, 'end'), whole };
    const left = dialogs.openPage(say ? { ...page, saying: { open: false, text: '' } } : page, {
      ...(say ? { say } : {}),
      toggle() {
        whole = !whole;
        show();
      },
    });
    const timer = setInterval(async () => {
      const next = await read();
      if (next.length === entries.length && store.get().page?.title === title()) return;
      entries = next;
      show();
    }, freshMs);
    await left;
    clearInterval(timer);
  };

  /** What a member of the team does while its conversation is read. */
  const stateOf = (id: SessionId): readonly string[] => {
    const member = store.get().team?.members.find(({ session }) => session === id);
    return member ? [memberState(member), memberTasks(member)].filter(Boolean) : [];
  };

  return {
    transcript: () =>
      open(
        () => 'Transcript',
        async () => (await ports.transcript?.()) ?? [],
      ),
    agent: ({ id, name, label }: Pick<AgentInfo, 'id' | 'name' | 'label'>) =>
      open(
        () => [safeText(name ?? label), ...stateOf(id)].join(' · '),
        async () => (await ports.agentTranscript?.(id)) ?? [],
        (text) => ports.agents?.steer(id, text) ?? Promise.resolve('Nobody listens here.'),
      ),
  };
}
