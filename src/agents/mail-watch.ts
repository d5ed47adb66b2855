/** Reads the event stream for what mail means beyond its text: how far it came (ruling 40), and a plan's approval. */
import * as z from 'zod';
import type { SessionEvent } from '../contract/event.ts';
import type { SessionId } from '../contract/ids.ts';
import { modes } from '../contract/mode.ts';
import type { Mail } from '../contract/store.ts';
import { LEAD, type TeamStore } from '../contract/team.ts';
import type { Entry, Origin } from '../contract/transcript.ts';
import type { Conversation } from '../loop/session.ts';

const approval = z.object({
  type: z.literal('plan_approval_response'),
  approved: z.boolean(),
  permissionMode: z.enum(modes).optional(),
});

/** Team and member of an inbox; undefined for any other box. */
const inboxPath = (box: string): { readonly team: string; readonly member: string } | undefined => {
  const [teams, team, inboxes, member] = box.split('/');
  return teams === 'teams' && inboxes === 'inboxes' && team && member ? { team, member } : undefined;
};

/** Delivered is in the transcript; read is in a request that got an answer. Answers the way to stop. */
export const watchMail = (
  listen: (reader: (event: SessionEvent) => void) => () => void,
  teams: TeamStore,
  conversationOf: (session: SessionId) => Promise<Conversation | undefined>,
): (() => void) => {
  const unread = new Map<SessionId, Map<string, number>>();
  const told = (box: string, how: 'delivered' | 'read', place: number): void => {
    const inbox = inboxPath(box);
    if (inbox) void teams.receive(inbox.team, inbox.member, { [how]: place });
  };
  return listen((event) => {
    if (event.type !== 'entry') return;
    const { entry, session } = event;
    if (entry.type === 'user' && entry.mail && inboxPath(entry.mail.box)) {
      const { box, place } = entry.mail;
      told(box, 'delivered', place);
      const boxes = unread.get(session) ?? new Map<string, number>();
      unread.set(session, boxes.set(box, place));
      const mode = approvedMode(entry.origin, entry);
      if (mode) void conversationOf(session).then((conversation) => conversation?.setMode(mode));
    }
    if (entry.type === 'assistant' && !entry.partial) {
      for (const [box, place] of unread.get(session) ?? []) told(box, 'read', place);
      unread.delete(session);
    }
  });
};

/** Only the lead's own structured answer counts, never a text that looks like one. */
const approvedMode = (origin: Origin, entry: Extract<Entry, { type: 'user' }>) => {
  if (origin.kind !== 'mail' || origin.from !== LEAD || origin.protocol !== 'plan_approval_response')
    return undefined;
  try {
    const found = approval.safeParse(JSON.parse(entry.display ?? ''));
    return found.success && found.data.approved ? (found.data.permissionMode ?? 'default') : undefined;
  } catch {
    return undefined;
  }
};

/** How far one letter has come. */
export const deliveryOf = (
  mail: Pick<Mail, 'place'>,
  receipt: { readonly delivered: number; readonly read: number } | undefined,
): 'stored' | 'delivered' | 'read' => {
  if (!receipt || mail.place > receipt.delivered) return 'stored';
  return mail.place > receipt.read ? 'delivered' : 'read';
};
