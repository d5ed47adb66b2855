import { basename } from 'node:path';
import type { CommandScreen, PickItem, SlashCommand } from '../contract/command.ts';
import type { SessionSummary } from '../contract/store.ts';
import { refused, shortNumber, text } from './answer.ts';

/** Which conversations: of this folder, of the repository's other worktrees too, or of every folder. */
export type Reach = 'here' | 'worktrees' | 'everywhere';

export interface Conversations {
  list(reach: Reach): Promise<readonly SessionSummary[]>;
  find(idOrName: string): Promise<SessionSummary | undefined>;
  /** The last exchanges as Markdown. */
  preview(summary: SessionSummary): Promise<string>;
  /** A sentence when it could not be renamed. */
  rename(summary: SessionSummary, title: string): Promise<string | undefined>;
  /** A sentence when it could not be deleted. */
  remove(summary: SessionSummary): Promise<string | undefined>;
  /** The branch that is checked out here. */
  branch(): string | undefined;
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

const nameOf = (one: SessionSummary): string => one.title || one.firstPrompt || one.id;

const itemOf = (one: SessionSummary, now: Date, reach: Reach): PickItem<SessionSummary> => ({
  value: one,
  label: nameOf(one),
  hint: [
    ago(one.updatedAt, now),
    ...(reach === 'here' ? [] : [basename(one.cwd)]),
    ...(one.branch ? [one.branch] : []),
    `${one.messages} messages`,
    `${shortNumber(one.bytes)}B`,
  ].join(' · '),
});

const headings: Readonly<Record<Reach, string>> = {
  here: 'Conversations',
  worktrees: 'Conversations of all worktrees',
  everywhere: 'Conversations of all folders',
};

/** Lets a person choose, look into, rename and delete conversations; undefined when they leave, `none` when there are none. */
export const pickConversation = async (
  conversations: Conversations,
  screen: CommandScreen,
  except?: string,
): Promise<SessionSummary | 'none' | undefined> => {
  const now = conversations.now();
  let reach: Reach = 'here';
  let branch: string | undefined;
  const items = async () =>
    (await conversations.list(reach))
      .filter((one) => one.id !== except && (branch === undefined || one.branch === branch))
      .map((one) => itemOf(one, now, reach));
  const toggled = (other: Reach) => () => {
    reach = reach === other ? 'here' : other;
    return items();
  };
  const here = await items();
  if (here.length === 0) return 'none';
  return screen.pick({
    title: headings.here,
    heading: () => `${headings[reach]}${branch === undefined ? '' : ` on ${branch}`}`,
    searched: true,
    items: here,
    preview: conversations.preview,
    keys: [
      {
        key: 'space',
        label: 'preview',
        async act(one) {
          await screen.panel(nameOf(one), await conversations.preview(one));
          return undefined;
        },
      },
      {
        key: 'ctrl+r',
        label: 'rename',
        async act(one) {
          const title = (await screen.input({ title: 'Title', initial: one.title }))?.trim();
          const failed = title ? await conversations.rename(one, title) : undefined;
          if (failed) screen.print(failed);
          return title ? items() : undefined;
        },
      },
      { key: 'ctrl+a', label: 'all folders', list: toggled('everywhere') },
      { key: 'ctrl+w', label: 'worktrees', list: toggled('worktrees') },
      {
        key: 'ctrl+b',
        label: 'this branch',
        list() {
          branch = branch === undefined ? conversations.branch() : undefined;
          return items();
        },
      },
      {
        key: 'ctrl+d',
        label: 'delete',
        async act(one) {
          const sure = await screen.pick({
            title: `Delete "${nameOf(one)}" for good?`,
            items: [
              { value: false, label: 'No, keep it' },
              { value: true, label: 'Yes, delete it' },
            ],
          });
          if (!sure) return undefined;
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
