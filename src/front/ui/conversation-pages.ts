import type { AgentInfo } from '../../contract/agent.ts';
import type { Entry } from '../../contract/transcript.ts';
import { safeLine } from '../../lib/safe-text.ts';
import type { Dialogs } from './dialogs.ts';
import { lookOf } from './frame.ts';
import { pastItems } from './history.ts';
import type { Host } from './host.ts';
import { stackedLines } from './item-lines.ts';
import { liveConversation } from './live-conversation.ts';
import { memberDoing } from './member-words.ts';
import { type Page, pageOf, withLines } from './page.ts';
import { as, blank, type Line } from './span.ts';
import type { Look } from './tool-lines.ts';

/** How often this conversation is read again, and how often an agent's is drawn, in milliseconds. */
const freshMs = { read: 700, drawn: 80 } as const;
/** How long it is shown what became of a wish. */
const toldMs = 4000;

/** What commands of Coppice print is no part of the conversation. */
const NOTHING_SAID: readonly Line[] = [
  blank,
  [as('dim', '  Nothing was said yet. What /commands printed stands in the scrollback.')],
];

export type ConversationPages = ReturnType<typeof conversationPages>;

/** Whole conversations on a page of their own, live: this one and those of agents. */
export function conversationPages(host: Host, dialogs: Dialogs) {
  const { store, ports } = host;

  const look = (whole: boolean): Look => ({ ...lookOf(store.get(), whole), width: store.get().columns - 1 });

  const show = (lines: readonly Line[], more: Partial<Page>) =>
    store.update((state) =>
      state.page ? { ...state, page: { ...withLines(state.page, lines, state.rows), ...more } } : state,
    );

  const transcript = async (): Promise<void> => {
    const read = async () => (await ports.transcript?.()) ?? [];
    let entries: readonly Entry[] = await read();
    let whole = true;
    const linesOf = () => {
      const { lines } = stackedLines(pastItems(entries), look(whole));
      return lines.length > 0 ? lines : NOTHING_SAID;
    };
    const left = dialogs.openPage(
      { ...pageOf('Transcript', linesOf(), store.get().rows, 'end'), whole },
      {
        toggle() {
          whole = !whole;
          show(linesOf(), { whole });
        },
        lines: linesOf,
      },
    );
    const timer = setInterval(async () => {
      const next = await read();
      if (next.length === entries.length) return;
      entries = next;
      show(linesOf(), { whole });
    }, freshMs.read);
    await left;
    clearInterval(timer);
  };

  /** What it says and does as it happens; what is typed goes to it. */
  const agent = async ({ id, name, label }: Pick<AgentInfo, 'id' | 'name' | 'label'>): Promise<void> => {
    const rowNow = () => store.get().view.agents.find((one) => one.id === id);
    const live = liveConversation(id);
    host.flush();
    const reply = rowNow()?.reply ?? '';
    const unlisten = host.session()?.listen(live.hear);
    const read = async () => (await ports.agentTranscript?.(id)) ?? [];
    let entries = await read();
    live.load(entries, reply, host.now());
    let whole = true;
    const memberNow = () => store.get().team?.members.find(({ session }) => session === id);
    const title = () =>
      `${safeLine(name ? (memberNow() ? name : `${name} · ${label}`) : label, 60)}  ${doing()}`;
    const doing = (): string => {
      const [row, member] = [rowNow(), memberNow()];
      if (member?.state === 'ended') return 'has shut down: it hears nothing more';
      if (member && (member.running || member.state === 'failed'))
        return memberDoing(member, row, host.now()).text;
      if (!row) return 'not running: what you type lets it go on';
      return row.waiting ? 'waits for an answer' : row.doing;
    };
    /** Words that could not be said stand where they were typed. */
    const giveBack = (text: string) =>
      store.update((state) =>
        state.page?.saying === '' ? { ...state, page: { ...state.page, saying: text } } : state,
      );
    let told: { readonly text: string; readonly warns: boolean; readonly until: number } | undefined;
    const tell = (text: string, warns: boolean) => {
      told = { text: safeLine(text, 120), warns, until: host.now() + toldMs };
      draw();
    };
    const news = (): Page['news'] => {
      if (told && told.until > host.now()) return told;
      return store.get().view.asks.length > 0
        ? { text: 'a question waits: esc, then answer it', warns: true }
        : undefined;
    };
    const draw = () => show(live.lines(look(whole), host.now()), { whole, title: title(), news: news() });
    const first = live.lines(look(whole), host.now());
    const left = dialogs.openPage(
      { ...pageOf(title(), first, store.get().rows, 'end'), whole, saying: '' },
      {
        say(text) {
          const works = memberNow() ? memberNow()?.state === 'working' : rowNow() !== undefined;
          const sent = works ? 'sent: it reads it at its next tool round' : 'sent: it goes on';
          void ports.agents?.steer(id, text).then((wrong) => {
            tell(wrong ?? sent, wrong !== undefined);
            if (wrong !== undefined) giveBack(text);
          });
        },
        stop: () => void ports.agents?.stop(id).then((said) => tell(said, true)),
        toggle() {
          whole = !whole;
          draw();
        },
        lines: () => live.lines(look(whole), host.now()),
      },
    );
    let before = '';
    const timer = setInterval(() => {
      const now = `${title()}\n${news()?.text}`;
      if (!live.changed() && now === before) return;
      before = now;
      draw();
    }, freshMs.drawn);
    const reader = setInterval(async () => {
      const next = live.heard() ? entries : await read();
      if (next.length === entries.length || live.heard()) return;
      entries = next;
      live.load(entries, '', host.now());
    }, freshMs.read);
    await left;
    clearInterval(timer);
    clearInterval(reader);
    unlisten?.();
  };

  return { transcript, agent };
}
