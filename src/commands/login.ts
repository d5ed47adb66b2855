import type { SlashCommand } from '../contract/command.ts';
import { refused, text } from './answer.ts';

export interface SignIn {
  /** A credential that wins over a kept key, in words. */
  stronger(): string | undefined;
  /** Keeps the key, 0600 in the user home, and uses it from now on; a sentence when it could not be kept. */
  keep(key: string): Promise<string | undefined>;
  /** True when there was a key to forget. */
  forget(): Promise<boolean>;
  readonly practice: boolean;
}

/** `/login`: a key, asked for in a hidden field, kept in the user home. It is never taken from the command's own text. */
export const loginCommand = (signIn: SignIn): SlashCommand => ({
  name: 'login',
  description: 'Give an API key; it is kept in your home, readable by you alone',
  source: 'builtin',
  async run(args, { screen }) {
    if (args.trim() !== '')
      return refused('Type /login alone; the key is asked for, so that it stands in no history.');
    if (!screen.interactive)
      return refused('Nobody is there to type a key: set ANTHROPIC_API_KEY, or type /login in a terminal.');
    const key = (await screen.input({ title: 'API key', secret: true }))?.trim();
    if (!key) return text('No key was given; nothing changed.');
    const failed = await signIn.keep(key);
    const stronger = signIn.stronger();
    const notes = [
      failed
        ? `The key is used for this run but could not be kept: ${failed}`
        : 'The key is kept in your home.',
      stronger ? `${stronger} is set too and wins; unset it to use the key.` : undefined,
      signIn.practice
        ? 'This conversation goes on with the practice model; start again to use the key.'
        : undefined,
    ];
    return text(notes.filter((note) => note !== undefined).join(' '));
  },
});

/** `/logout`: forgets the kept key and leaves. */
export const logoutCommand = (signIn: SignIn): SlashCommand => ({
  name: 'logout',
  description: 'Forget the kept API key and leave',
  source: 'builtin',
  async run(_args, { screen }) {
    const had = await signIn.forget();
    const stronger = signIn.stronger();
    if (!had)
      return refused(
        stronger
          ? `No key is kept here; ${stronger} is in use. Unset it where you set it.`
          : 'No key is kept here.',
      );
    screen.print(`The key was forgotten.${stronger ? ` ${stronger} is still set.` : ''}`);
    return { kind: 'exit', reason: 'logout' };
  },
});
