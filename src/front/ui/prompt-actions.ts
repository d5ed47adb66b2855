import type { ScreenCommands } from '../../contract/screen.ts';
import { safeText } from '../../lib/safe-text.ts';
import { lookOf } from './frame.ts';
import { score } from './fuzzy.ts';
import type { Host } from './host.ts';
import type { Item } from './item.ts';
import { itemLines } from './item-lines.ts';
import type { Press } from './keys.ts';
import { filled, type Prompt, pictured, sent, typedOf } from './prompt.ts';
import { browsed, searchKey } from './prompt-history.ts';
import type { PromptAction } from './prompt-keys.ts';

/** Carries out what keys in the prompt ask for. */
export interface PromptActions {
  run(action: PromptAction): void;
  searchKey(one: Press): void;
  submitText(text: string): Promise<void>;
  attached(): void;
  /** The turn ended: commands typed during it run now. */
  idle(): void;
}

export interface PromptActionsOptions {
  readonly host: Host;
  readonly commands: ScreenCommands;
  setPrompt(change: (prompt: Prompt) => Prompt): void;
  openTranscript(): void;
  openWork(): void;
  cycleMode(): void;
}

export function promptActions(options: PromptActionsOptions): PromptActions {
  const { host, commands, setPrompt } = options;
  const { store, ports } = host;
  const show = (item: Item) => {
    host.flush();
    host.print(itemLines(item, lookOf(store.get())));
  };
  const arm = (armed: 'cancel' | 'end' | 'escape', text: string) => {
    store.update((state) => ({ ...state, armed }));
    host.hint(text, 1500);
  };

  /** Enter was pressed before there was a session; the text waits in the prompt. */
  let early = false;

  const submit = async (): Promise<void> => {
    const { prompt } = store.get();
    const { text, images } = typedOf(prompt);
    if (text.trim() === '') return;
    if (!host.session()) {
      early = true;
      return host.hint('starting…');
    }
    setPrompt(sent);
    ports.drafts?.save('');
    ports.history?.add(prompt.shell ? `!${text}` : text);
    store.update((state) =>
      state.history
        ? {
            ...state,
            history: [prompt.shell ? `!${text}` : text, ...state.history.filter((one) => one !== text)],
          }
        : state,
    );
    if (prompt.shell) return runShell(text.trim());
    await submitLine(text.trim(), images);
  };

  const submitLine = async (text: string, images: ReturnType<typeof typedOf>['images']): Promise<void> => {
    const name = /^\/([\w:.-]+)(?=\s|$)/.exec(text)?.[1];
    if (name !== undefined && ports.slash) {
      const known = ports.slash.list().find((entry) => entry.name === name || entry.aliases?.includes(name));
      if (!known) return unknownCommand(name, text);
      if (store.get().view.busy && !known.instant)
        return store.update((state) => ({ ...state, waiting: [...state.waiting, text] }));
      show({ kind: 'user', text: safeText(text) });
      if (await ports.slash.run(text, commands)) return host.refresh();
    }
    await (ports.submit ? ports.submit({ text, images }) : host.session()?.send(text, images));
  };

  const unknownCommand = (name: string, text: string) => {
    const near = (ports.slash?.list() ?? [])
      .map((entry) => ({
        name: entry.name,
        points: score(name, entry.name) ?? score(entry.name, name) ?? nearness(name, entry.name),
      }))
      .filter((one) => one.points > 0)
      .sort((a, b) => b.points - a.points);
    commands.notice(
      'warn',
      `There is no command /${safeText(name)}.${near[0] ? ` Did you mean /${near[0].name}?` : ' Type / to see all.'}`,
    );
    setPrompt((prompt) => filled(prompt, text));
  };

  const runShell = async (command: string): Promise<void> => {
    if (!ports.shell) return commands.notice('warn', 'Commands of your own cannot be run here.');
    const stop = new AbortController();
    shellStop = stop;
    store.update((state) => ({ ...state, shell: { command: safeText(command), output: '' } }));
    const ran = await ports.shell(command, stop.signal, (chunk) =>
      store.update((state) =>
        state.shell
          ? {
              ...state,
              shell: { ...state.shell, output: (state.shell.output + safeText(chunk)).slice(-8000) },
            }
          : state,
      ),
    );
    shellStop = undefined;
    store.update((state) => ({ ...state, shell: undefined }));
    show({ kind: 'shell', command: safeText(command), output: safeText(ran.output), failed: ran.failed });
  };
  let shellStop: AbortController | undefined;

  const history = async (step: 1 | -1): Promise<void> => {
    const { view, prompt } = store.get();
    if (step === 1 && !prompt.browsing && view.queue.length > 0) return takeBack();
    const entries = store.get().history ?? (await ports.history?.recent()) ?? [];
    store.update((state) => ({ ...state, history: entries }));
    setPrompt((now) => browsed(now, entries, step));
  };

  /** Up takes back what was queued. */
  const takeBack = async (): Promise<void> => {
    const texts = (await host.session()?.unsend()) ?? [];
    store.update((state) => ({ ...state, view: { ...state.view, queue: [] } }));
    if (texts.length > 0)
      setPrompt((prompt) =>
        filled(prompt, [...texts, ...(prompt.buffer.text.trim() ? [prompt.buffer.text] : [])].join('\n\n')),
      );
  };

  const escaped = () => {
    const state = store.get();
    if (state.help) return store.set({ ...state, help: false });
    if (shellStop) return shellStop.abort();
    if (state.view.busy || state.view.compacting) return host.session()?.interrupt();
    const empty = state.prompt.buffer.text === '';
    if (state.armed !== 'escape') {
      if (!empty) return arm('escape', 'esc again to clear');
      return store.update((now) => ({ ...now, armed: 'escape' }));
    }
    store.update((now) => ({ ...now, armed: undefined }));
    if (!empty) return clear();
    ports.rewind?.();
  };

  const clear = () => {
    const { text } = typedOf(store.get().prompt);
    if (text.trim() !== '') ports.history?.add(text);
    store.update((state) => (state.history ? { ...state, history: [text, ...state.history] } : state));
    setPrompt((prompt) => ({ ...filled(prompt, ''), shell: false }));
    host.hint(undefined);
  };

  const cancel = () => {
    const state = store.get();
    if (shellStop) return shellStop.abort();
    if (state.view.busy && state.armed !== 'cancel') {
      host.session()?.interrupt();
      return arm('cancel', 'interrupted · ctrl+c again to leave');
    }
    if (state.prompt.buffer.text !== '' || state.prompt.shell) return clear();
    if (state.armed === 'cancel') return host.exit('quit');
    arm('cancel', 'ctrl+c again to leave');
  };

  const edit = async (): Promise<void> => {
    if (!ports.editText) return host.hint('No editor is set ($EDITOR).', 2500);
    const open = ports.editText;
    const { text } = typedOf(store.get().prompt);
    const edited = await host.suspend(() => open(text, 'md'));
    if (edited !== undefined)
      setPrompt((prompt) => ({ ...filled(prompt, safeText(edited).replace(/\n$/, '')), pastes: {} }));
  };

  const picture = async (): Promise<void> => {
    const got = await ports.images?.fromClipboard();
    if (!got) return host.hint('Pictures cannot be pasted here.', 2500);
    if ('refused' in got) return host.hint(got.refused, 3000);
    setPrompt((prompt) => pictured(prompt, got.image));
  };

  const stash = () => {
    const { prompt, stash: kept } = store.get();
    if (prompt.buffer.text === '' && kept !== undefined) {
      store.update((state) => ({ ...state, stash: undefined }));
      return setPrompt((now) => filled(now, kept));
    }
    if (prompt.buffer.text === '') return;
    store.update((state) => ({ ...state, stash: typedOf(prompt).text }));
    setPrompt((now) => ({ ...filled(now, ''), pastes: {} }));
    host.hint('put aside · ctrl+s brings it back', 2500);
  };

  const actions: Readonly<Record<PromptAction, () => void>> = {
    submit: () => void submit(),
    interrupt: () => host.session()?.interrupt(),
    cancel,
    escape: escaped,
    'end-of-input': () =>
      store.get().armed === 'end' ? host.exit('end') : arm('end', 'ctrl+d again to leave'),
    'cycle-mode': options.cycleMode,
    transcript: options.openTranscript,
    tasks: () => store.update((state) => ({ ...state, now: host.now(), tasksShown: !state.tasksShown })),
    background: () => host.session()?.background(),
    'kill-agents': () => {},
    edit: () => void edit(),
    suspend: host.stopJob,
    redraw: host.redraw,
    thinking: () => void ports.toggleThinking?.().then((said) => said && host.hint(said, 2500)),
    model: () => ports.chooseModel?.(),
    'paste-image': () => void picture(),
    'history-older': () => void history(1),
    'history-newer': () => void history(-1),
    search: () => void startSearch(),
    help: () => store.update((state) => ({ ...state, help: !state.help })),
    work: options.openWork,
    stash,
  };

  const startSearch = async (): Promise<void> => {
    const entries = store.get().history ?? (await ports.history?.recent()) ?? [];
    store.update((state) => ({ ...state, history: entries }));
    setPrompt((prompt) => ({
      ...prompt,
      menu: undefined,
      search: { query: '', skip: 0, draft: prompt.buffer.text },
    }));
  };

  return {
    run(action) {
      if (action !== 'help' && store.get().help) store.update((state) => ({ ...state, help: false }));
      actions[action]();
    },
    attached() {
      if (!early) return;
      early = false;
      host.hint(undefined);
      void submit();
    },
    async submitText(text) {
      await submitLine(text, []);
    },
    idle() {
      const { waiting } = store.get();
      const [next, ...rest] = waiting;
      if (next === undefined) return;
      store.update((state) => ({ ...state, waiting: rest }));
      void submitLine(next, []).then(() => {
        if (!store.get().view.busy) this.idle();
      });
    },
    searchKey: (one) => searchKey(store.get(), one, setPrompt, () => void submit()),
  };
}

/** Letters in common, for names that were mistyped. */
const nearness = (a: string, b: string): number => {
  const same = [...a].filter((char, index) => b[index] === char).length;
  return same >= Math.max(2, a.length - 2) ? same : 0;
};
