import type { SlashCommand } from '../contract/command.ts';
import type { SessionSummary } from '../contract/store.ts';
import { refused, shortNumber, text } from './answer.ts';

export interface Conversations {
  list(everywhere: boolean): Promise<readonly SessionSummary[]>;
  find(idOrName: string): Promise<SessionSummary | undefined>;
  /** The last exchanges as Markdown. */
  preview(summary: SessionSummary): Promise<string>;
  remove(summary: SessionSummary): Promise<void>;
  now(): Date;
}

/** How long ago, as people say it. */
export const ago = (iso: string, now: Date): string => {
  const minutes = Math.max(0, Math.round((now.getTime() - Date.parse(iso)) / 60_000));
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h ago`;
  return `${Math.round(minutes / 1440)} days ago`;
};

export const summaryItem = (now: Date) => (one: SessionSummary) => ({
  value: one,
  label: one.title || one.firstPrompt || one.id,
  hint: `${ago(one.updatedAt, now)}${one.branch ? ` · ${one.branch}` : ''} · ${one.messages} messages · ${shortNumber(one.bytes)}B`,
});

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
    const all = (await conversations.list(false)).filter((one) => one.id !== session.id);
    if (all.length === 0) return text('There is no earlier conversation in this folder.');
    const item = summaryItem(conversations.now());
    const chosen = await screen.pick({
      title: 'Conversations',
      items: all.map(item),
      preview: conversations.preview,
      keys: [
        {
          key: 'ctrl+a',
          label: 'all folders',
          act: async () => (await conversations.list(true)).filter((one) => one.id !== session.id).map(item),
        },
        {
          key: 'ctrl+d',
          label: 'delete',
          async act(one) {
            await conversations.remove(one);
            return (await conversations.list(false)).filter((other) => other.id !== session.id).map(item);
          },
        },
      ],
    });
    return chosen ? { kind: 'switch', to: { how: 'resume', id: chosen.id } } : { kind: 'done' };
  },
});
