import type { CommandScreen, SlashCommand } from '../contract/command.ts';
import type { SessionSummary } from '../contract/store.ts';
import { refused, shortNumber, text } from './answer.ts';

export interface Conversations {
  list(everywhere: boolean): Promise<readonly SessionSummary[]>;
  find(idOrName: string): Promise<SessionSummary | undefined>;
  /** The last exchanges as Markdown. */
  preview(summary: SessionSummary): Promise<string>;
  /** A sentence when it could not be deleted. */
  remove(summary: SessionSummary): Promise<string | undefined>;
  now(): Date;
}

/** How long ago, as people say it. */
const ago = (iso: string, now: Date): string => {
  const minutes = Math.max(0, Math.round((now.getTime() - Date.parse(iso)) / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${Math.round(minutes / 1440)} days ago`;
};

const summaryItem = (now: Date) => (one: SessionSummary) => ({
  value: one,
  label: one.title || one.firstPrompt || one.id,
  hint: `${ago(one.updatedAt, now)}${one.branch ? ` · ${one.branch}` : ''} · ${one.messages} messages · ${shortNumber(one.bytes)}B`,
});

/** Lets a person choose, look into and delete conversations; undefined when they leave, `none` when there are none. */
export const pickConversation = async (
  conversations: Conversations,
  screen: CommandScreen,
  except?: string,
): Promise<SessionSummary | 'none' | undefined> => {
  let everywhere = false;
  const item = summaryItem(conversations.now());
  const items = async () =>
    (await conversations.list(everywhere)).filter((one) => one.id !== except).map(item);
  const here = await items();
  if (here.length === 0) return 'none';
  return screen.pick({
    title: 'Conversations',
    searched: true,
    items: here,
    preview: conversations.preview,
    keys: [
      {
        key: 'ctrl+a',
        label: 'all folders',
        act: async () => {
          everywhere = !everywhere;
          return items();
        },
      },
      {
        key: 'ctrl+d',
        label: 'delete',
        async act(one) {
          const failed = await conversations.remove(one);
          if (failed) screen.print(failed);
          return items();
        },
      },
    ],
  });
};

/** `/resume [id or name]`: go on with an earlier conversation. */
export const resumeCommand = (conversations: Conversations): SlashCommand => ({
  name: 'resume',
  aliases: ['continue'],
  description: 'Go on with an earlier conversation',
  argumentHint: '[id or name]',
  source: 'builtin',
  async run(args, { session, screen }) {
    const wish = args.trim();
    if (wish) {
      const found = await conversations.find(wish);
      return found
        ? { kind: 'switch', to: { how: 'resume', id: found.id } }
        : refused(`No conversation is called "${wish}".`);
    }
    const chosen = await pickConversation(conversations, screen, session.id);
    if (chosen === 'none') return text('There is no earlier conversation in this folder.');
    return chosen ? { kind: 'switch', to: { how: 'resume', id: chosen.id } } : { kind: 'done' };
  },
});
