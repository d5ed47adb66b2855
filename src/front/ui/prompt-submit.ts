import type { SaidTo, ScreenCommands } from '../../contract/screen.ts';
import { nearNames } from '../../lib/near-names.ts';
import { safeText } from '../../lib/safe-text.ts';
import { parseCommand } from '../../lib/slash-line.ts';
import type { Host } from './host.ts';
import type { OwnShell } from './own-shell.ts';
import type { PendingPictures } from './pending-pictures.ts';
import { filled, type Prompt, picturesIn, sent, typedOf } from './prompt.ts';

/** Takes what was typed to where it goes: the shell, a command, the session. */
export interface Submitting {
  submit(): Promise<void>;
  line(text: string): Promise<void>;
  /** A session is there: what was sent before goes to it now. */
  attached(): Promise<void>;
  /** The turn ended: commands typed during it run now. */
  idle(): void;
  /** Remembers a text for Up and Ctrl+R. */
  remember(text: string): void;
}

/** A prompt as it was sent. */
type Sent = ReturnType<typeof typedOf> & { readonly shell: boolean };

export interface SubmitOptions {
  readonly host: Host;
  readonly commands: ScreenCommands;
  readonly shell: OwnShell;
  setPrompt(change: (prompt: Prompt) => Prompt): void;
  readonly pictures: PendingPictures;
  /** Writes the draft out now. */
  keepDraft(): void;
}

export function submitting({
  host,
  commands,
  shell,
  pictures,
  setPrompt,
  keepDraft,
}: SubmitOptions): Submitting {
  const { store, ports } = host;
  /** What was sent before there was a session. */
  let early: readonly Sent[] = [];

  const remember = (text: string) => {
    ports.history?.add(text);
    store.update((state) =>
      state.history ? { ...state, history: [text, ...state.history.filter((one) => one !== text)] } : state,
    );
  };

  const submit = async (): Promise<void> => {
    const { prompt, stash } = store.get();
    if (typedOf(prompt).text.trim() === '') return;
    setPrompt(sent);
    const typed = pictures.typed(prompt);
    // What was put aside comes back once the other thing is said.
    if (stash !== undefined) {
      store.update((state) => ({ ...state, stash: undefined }));
      host.hint(undefined);
      setPrompt((now) => filled(now, stash));
    }
    const one: Sent = { ...('text' in typed ? typed : await typed), shell: prompt.shell };
    // A picture was all of it, and there was none.
    if (one.text.trim() === '') return;
    if (!host.session()) {
      early = [...early, one];
      return host.hint(`starting… · ${early.length} queued`);
    }
    keepDraft();
    await take(one);
  };

  const take = async ({ text, images, shell: own }: Sent): Promise<void> => {
    remember(own ? `!${text}` : text);
    await (own ? shell.run(text.trim()) : line(text.trim(), images));
  };

  const line = async (text: string, images: ReturnType<typeof typedOf>['images']): Promise<void> => {
    const name = parseCommand(text)?.name;
    if (name !== undefined && ports.slash) {
      if (!ports.slash.find(name)) await ports.slash.look?.();
      const known = ports.slash.find(name);
      if (!known) return unknown(name, text);
      if (store.get().view.busy && !known.instant) {
        store.update((state) => ({ ...state, waiting: [...state.waiting, text] }));
        return keepDraft();
      }
      host.show({ kind: 'user', text: safeText(text) });
      // Where it becomes a prompt, the prompt is not shown once more.
      store.update((state) => ({ ...state, view: { ...state.view, echoed: safeText(text) } }));
      if (await ports.slash.run(text, commands)) return host.refresh();
    }
    if (!ports.submit) return await host.session()?.send(text, images);
    const said = await ports.submit({ text, images });
    if (said) spokenTo(said, text);
  };

  /** What was said to one agent stands in its conversation, not in this one: it is shown here once. */
  const spokenTo = (said: SaidTo, text: string) => {
    if ('to' in said) {
      host.show({ kind: 'user', text: safeText(text) });
      return host.hint(`said to ${safeText(said.to)}`, 2500);
    }
    commands.notice('warn', said.refused);
    if (store.get().prompt.buffer.text === '') setPrompt((prompt) => filled(prompt, text));
  };

  const unknown = (name: string, text: string) => {
    const names = (ports.slash?.list() ?? []).flatMap((entry) => [entry.name, ...(entry.aliases ?? [])]);
    const near = nearNames(name, names).map((one) => `/${one}`);
    commands.notice(
      'warn',
      `There is no command /${safeText(name)}.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ' Type / to see all.'}`,
    );
    if (store.get().prompt.buffer.text === '') setPrompt((prompt) => filled(prompt, text));
  };

  const idle = () => {
    const { waiting } = store.get();
    const [next, ...rest] = waiting;
    if (next === undefined) return;
    store.update((state) => ({ ...state, waiting: rest }));
    keepDraft();
    void line(next, Object.values(picturesIn(next, store.get().prompt.images))).then(() => {
      if (!store.get().view.busy) idle();
    });
  };

  return {
    submit,
    line: (text) => line(text, []),
    async attached() {
      if (early.length === 0) return;
      const all = early;
      early = [];
      host.hint(undefined);
      for (const one of all) await take(one);
    },
    idle,
    remember,
  };
}
