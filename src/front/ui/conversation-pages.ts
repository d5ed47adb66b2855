import type { ScreenCommands } from '../../contract/screen.ts';
import type { Entry } from '../../contract/transcript.ts';
import { safeText } from '../../lib/safe-text.ts';
import type { Dialogs } from './dialogs.ts';
import { lookOf } from './frame.ts';
import { pastItems } from './history.ts';
import type { Host } from './host.ts';
import { itemLines } from './item-lines.ts';
import { pageOf, withLines } from './page.ts';
import type { Line } from './span.ts';

/** How often an open conversation is read again, in milliseconds. */
const freshMs = 700;

/** Whole conversations on a page of their own, live: this one (Ctrl+O) and those of agents (Down on an empty prompt). */
export function conversationPages(host: Host, dialogs: Dialogs, commands: ScreenCommands) {
  const { store, ports } = host;

  const linesOf = (entries: readonly Entry[]): Line[] => {
    const state = store.get();
    return pastItems(entries).flatMap((item) =>
      itemLines(item, { ...lookOf(state, true), width: state.columns - 1 }),
    );
  };

  const open = async (
    title: string,
    read: () => Promise<readonly Entry[]>,
    say?: (text: string) => Promise<string | undefined>,
  ): Promise<void> => {
    let entries = await read();
    const page = pageOf(title, linesOf(entries), store.get().rows, 'end');
    const left = dialogs.openPage(say ? { ...page, saying: { open: false, text: '' } } : page, say);
    const timer = setInterval(async () => {
      const next = await read();
      if (next.length === entries.length) return;
      entries = next;
      store.update((state) =>
        state.page ? { ...state, page: withLines(state.page, linesOf(next), state.rows) } : state,
      );
    }, freshMs);
    await left;
    clearInterval(timer);
  };

  return {
    transcript: () => open('Transcript', async () => (await ports.transcript?.()) ?? []),
    async agents(): Promise<void> {
      const agents = ports.agents?.list() ?? [];
      if (agents.length === 0) return;
      const chosen = await commands.pick({
        title: 'Agents',
        items: agents.map((agent) => ({
          value: agent,
          label: agent.name ? `${agent.name} · ${agent.label}` : agent.label,
          hint: agent.status,
        })),
        keys: [
          {
            key: 'ctrl+x',
            label: 'stop',
            act: async (agent) => {
              host.hint(await ports.agents?.stop(agent.id), 2500);
              return undefined;
            },
          },
        ],
      });
      if (chosen === undefined) return;
      await open(
        safeText(chosen.name ?? chosen.label),
        async () => (await ports.agentTranscript?.(chosen.id)) ?? [],
        (text) => ports.agents?.steer(chosen.id, text) ?? Promise.resolve('Nobody listens here.'),
      );
    },
  };
}
