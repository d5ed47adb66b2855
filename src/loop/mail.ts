/** Reading the mailboxes: everything a session hears arrives here, in order, and is on disk already. */
import type { UserBlock } from '../contract/message.ts';
import type { Mail } from '../contract/store.ts';
import { inboxOfSession } from '../contract/team.ts';
import { reminder } from '../lib/reminder.ts';
import { shortTitle } from '../lib/short-title.ts';
import type { Here } from './deps.ts';

/** Its own boxes, and its inbox in the team it is in now. */
export const boxesOf = (here: Here): readonly string[] => {
  const { boxes } = here.opening;
  const inbox = inboxOfSession(here.state());
  return inbox === undefined || boxes.includes(inbox) ? boxes : [...boxes, inbox];
};

/** What waits, box by box; withdrawn mail included so that its place can be passed. */
export const unread = async (
  here: Here,
): Promise<readonly { readonly box: string; readonly mail: Mail }[]> => {
  const found: { box: string; mail: Mail }[] = [];
  for (const box of boxesOf(here)) {
    const mails = await here.deps.mailbox.read(box, here.state().mailRead[box] ?? 0);
    found.push(...mails.map((mail) => ({ box, mail })));
  }
  return found;
};

/** Instruction files and facts once, then only what changed since. */
const preamble = async (here: Here, signal: AbortSignal): Promise<void> => {
  const state = here.state();
  if (state.messages.length === 0) {
    const content = await here.deps.opening(state, 'start', here.scope(signal));
    if (content.length > 0)
      await here.record({ type: 'user', meta: true, origin: { kind: 'system', about: 'opening' }, content });
  }
  await tellNews(here, signal);
};

/** Tells what changed (mode, date, directory) once, after everything already sent. */
export const tellNews = async (here: Here, signal: AbortSignal): Promise<void> => {
  const news = await here.deps.news(here.state(), here.scope(signal));
  if (news.length > 0)
    await here.record({
      type: 'user',
      meta: true,
      origin: { kind: 'system', about: 'news' },
      content: news.map(reminder),
    });
};

/** What goes along with all mail that is taken in together. */
interface Hearing {
  /** Context from SessionStart hooks, used once. */
  started(): readonly string[];
  /** Tells what the model has to know before the first of it. */
  tell(): Promise<void>;
  readonly signal: AbortSignal;
}

/** One person's prompt through UserPromptSubmit. Answers whether it was accepted. */
const accept = async (
  here: Here,
  box: string,
  mail: Mail,
  { started, tell, signal }: Hearing,
): Promise<boolean> => {
  const place = { box, place: mail.place };
  const typed = mail.display ?? mail.text;
  const verdict =
    mail.origin.kind === 'person' && here.opening.session.root
      ? await here.deps.hooks.dispatch('UserPromptSubmit', { prompt: typed }, here.scope(signal))
      : undefined;
  const refusedBy = verdict?.blocked ?? verdict?.stop;
  if (refusedBy !== undefined) {
    await here.record({ type: 'refused', text: typed, reason: refusedBy, mail: place });
    return false;
  }
  if (verdict?.sessionTitle)
    await here.record({ type: 'title', title: verdict.sessionTitle, byPerson: false });
  await tell();
  const context: readonly UserBlock[] = [
    ...started().map((text) => reminder(text)),
    ...(verdict?.context ?? []).map((text) => reminder(`UserPromptSubmit hook context: ${text}`)),
  ];
  const mode = here.deps.planAnswer?.(mail, here.state());
  const meta = mail.origin.kind === 'person' ? {} : { meta: true };
  const said = await here.deps.render(mail, here.state(), signal);
  await here.record({
    type: 'user',
    origin: mail.origin,
    mail: place,
    content: [...(verdict?.suppressPrompt && context.length > 0 ? [] : said.content), ...context],
    display: typed,
    ...(mode ? { mode } : {}),
    ...meta,
  });
  for (const effect of said.effects) await here.record(effect);
  if (verdict) await name(here, typed);
  return true;
};

/** A conversation that nobody named is called by what was asked first. */
const name = async (here: Here, typed: string): Promise<void> => {
  const title = here.state().title === undefined ? shortTitle(typed) : undefined;
  if (title !== undefined) await here.record({ type: 'title', title, byPerson: false });
};

/** Letters that the disk refused stand between the whole numbers of those in the file. */
const placeBefore = ({ place }: Mail): number => Math.ceil(place) - 1;

/**
 * Takes in all that waits, in order; what is new is told once for all of it. Answers how many were accepted.
 * `started` is context from SessionStart hooks, used once.
 */
export const readMail = async (
  here: Here,
  signal: AbortSignal,
  started: () => readonly string[],
): Promise<number> => {
  let accepted = 0;
  let telling: Promise<void> | undefined;
  const tell = (): Promise<void> => {
    telling ??= preamble(here, signal);
    return telling;
  };
  for (const { box, mail } of await unread(here)) {
    // While the one before was taken in, a person may have taken this one back.
    const left =
      mail.origin.kind === 'person' ? await here.deps.mailbox.read(box, placeBefore(mail)) : [mail];
    if (!left.some(({ place }) => place === mail.place)) continue;
    here.claim(box, mail.place);
    if (await accept(here, box, mail, { started, tell, signal })) accepted += 1;
  }
  return accepted;
};
