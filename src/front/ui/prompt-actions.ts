import type { ScreenCommands } from '../../contract/screen.ts';
import { safeText } from '../../lib/safe-text.ts';
import type { Host } from './host.ts';
import type { Press } from './keys.ts';
import { ownShell } from './own-shell.ts';
import type { PendingPictures } from './pending-pictures.ts';
import { filled, type Prompt, takenBack, typedOf } from './prompt.ts';
import { browsed, searchKey } from './prompt-history.ts';
import type { PromptAction } from './prompt-keys.ts';
import { submitting } from './prompt-submit.ts';
import type { ScreenState } from './screen-state.ts';

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
  readonly pictures: PendingPictures;
  setPrompt(change: (prompt: Prompt) => Prompt): void;
  /** Writes the draft out now. */
  keepDraft(): void;
  openTranscript(): void;
  openWork(): void;
  cycleMode(): void;
}

export function promptActions(options: PromptActionsOptions): PromptActions {
  const { host, commands, pictures, setPrompt } = options;
  const { store, ports } = host;
  const arm = (armed: NonNullable<ScreenState['armed']>, text: string, ms = 1500) => {
    store.update((state) => ({ ...state, armed }));
    host.hint(text, ms);
  };

  const shell = ownShell(host, commands);
  const said = submitting({
    host,
    commands,
    shell,
    pictures,
    setPrompt,
    keepDraft: options.keepDraft,
  });

  const ready = Promise.withResolvers<void>();
  /** Read once; a key that came before there was anything to read waits for it. */
  const remembered = async (): Promise<readonly string[]> => {
    if (!ports.history) await ready.promise;
    const entries = store.get().history ?? (await ports.history?.recent()) ?? [];
    store.update((state) => ({ ...state, history: entries }));
    return entries;
  };

  const history = async (step: 1 | -1): Promise<void> => {
    const { view, prompt, waiting } = store.get();
    if (step === 1 && !prompt.browsing && view.queue.length + waiting.length > 0) return takeBack();
    const entries = await remembered();
    setPrompt((now) => browsed(now, entries, step));
  };

  /** Up takes back what was queued, and commands that wait. */
  const takeBack = async (): Promise<void> => {
    const unsent = (await host.session()?.unsend()) ?? [];
    const waiting = store.get().waiting.map((text) => ({ text, images: [] }));
    store.update((state) => ({ ...state, waiting: [], view: { ...state.view, queue: [] } }));
    if (unsent.length + waiting.length > 0) setPrompt((prompt) => takenBack(prompt, [...unsent, ...waiting]));
  };

  const escaped = () => {
    const state = store.get();
    if (state.help) return store.set({ ...state, help: false });
    if (shell.stop()) return;
    if (state.view.busy || state.view.compacting || host.session()?.onErrand())
      return host.session()?.interrupt();
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
    if (text.trim() !== '') said.remember(text);
    setPrompt((prompt) => ({ ...filled(prompt, ''), shell: false }));
    host.hint(undefined);
  };

  const cancel = () => {
    const state = store.get();
    if (shell.stop()) return;
    if ((state.view.busy || host.session()?.onErrand()) && state.armed !== 'cancel') {
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
    if (edited === undefined) host.hint('The editor failed; the text is as it was.', 4000);
    else setPrompt((prompt) => ({ ...filled(prompt, safeText(edited).replace(/\n$/, '')), pastes: {} }));
  };

  const picture = () => {
    if (!ports.images) return host.hint('Pictures cannot be pasted here.', 2500);
    const got = ports.images.fromClipboard().then((found) => {
      if ('image' in found) return found.image;
      host.hint(found.refused, 3000);
      return undefined;
    });
    pictures.put(got, '');
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

  /** Twice: every agent that runs is stopped. */
  const killAgents = async (): Promise<void> => {
    const agents = ports.agents;
    const running =
      agents?.list().filter((one) => one.status === 'running' || one.status === 'waiting') ?? [];
    if (!agents || running.length === 0) return host.hint('No agents run.', 2500);
    const all = running.length === 1 ? 'one agent' : `${running.length} agents`;
    if (store.get().armed !== 'agents') return arm('agents', `again to stop ${all}`, 3000);
    store.update((state) => ({ ...state, armed: undefined }));
    await Promise.all(running.map((one) => agents.stop(one.id)));
    host.hint(`Stopped ${all}.`, 2500);
  };

  const actions: Readonly<Record<PromptAction, () => void>> = {
    submit: () => void said.submit(),
    interrupt: () => host.session()?.interrupt(),
    cancel,
    escape: escaped,
    'end-of-input': () =>
      store.get().armed === 'end' ? host.exit('end') : arm('end', 'ctrl+d again to leave'),
    'cycle-mode': options.cycleMode,
    transcript: options.openTranscript,
    tasks: () => store.update((state) => ({ ...state, now: host.now(), tasksShown: !state.tasksShown })),
    background: () => host.session()?.background(),
    'kill-agents': () => void killAgents(),
    edit: () => void edit(),
    suspend: host.stopJob,
    redraw: host.redraw,
    thinking: () => void ports.toggleThinking?.().then((said) => said && host.hint(said, 2500)),
    model: () => ports.chooseModel?.(),
    'paste-image': picture,
    'history-older': () => void history(1),
    'history-newer': () => void history(-1),
    search: () => void startSearch(),
    help: () => store.update((state) => ({ ...state, help: !state.help })),
    work: options.openWork,
    stash,
    fast: () => host.hint('There is no fast mode; /model small and /effort low answer sooner.', 4000),
  };

  const startSearch = async (): Promise<void> => {
    await remembered();
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
      ready.resolve();
      void said.attached();
    },
    submitText: said.line,
    idle: said.idle,
    searchKey: (one) => searchKey(store.get(), one, setPrompt, () => void said.submit()),
  };
}
