import type { ScreenCommands } from '../../contract/screen.ts';
import { safeText } from '../../lib/safe-text.ts';
import { agentWatch } from './agent-watch.ts';
import { askControl } from './ask-control.ts';
import { conversationPages } from './conversation-pages.ts';
import type { Dialogs } from './dialogs.ts';
import type { Host } from './host.ts';
import { contextsOf } from './key-contexts.ts';
import { createKeymap } from './keymap.ts';
import { chord, type Press, typed } from './keys.ts';
import { picturePath } from './paste-picture.ts';
import { pendingPictures } from './pending-pictures.ts';
import { type Prompt, pasted, picturesIn, typedOf } from './prompt.ts';
import { promptActions } from './prompt-actions.ts';
import { mentionWanted } from './prompt-keys.ts';
import { promptWidth } from './prompt-lines.ts';
import { withSlashMenu } from './slash-menu.ts';
import type { View } from './view-state.ts';
import { vimStep } from './vim/vim.ts';
import { freshVim } from './vim/vim-state.ts';
import { workList } from './work-list.ts';

/** Takes every key to the part that it is for: page, dialog, question, search, prompt. */
export interface Controller {
  key(one: Press): void;
  paste(text: string): void;
  /** After each frame of events. */
  changed(before: View, after: View): void;
  /** Writes the draft out now. */
  keepDraft(): void;
  submitText(text: string): Promise<void>;
  /** A session is there: what was sent before goes to it now. */
  attached(): void;
}

/** Keys belong to the prompt until there was a pause of this many milliseconds, whatever question came meanwhile. */
const typingPause = 700;
const draftPause = 120;
/** Megabytes are written less often. */
const lettersPerMs = 5000;
const longTurn = 15_000;

export function controller(host: Host, dialogs: Dialogs, commands: ScreenCommands): Controller {
  const { store, ports } = host;
  let typedAt = 0;
  let draftTimer: NodeJS.Timeout | undefined;
  let lookups = 0;
  const keymap = createKeymap(() => ports.typing?.().bindings ?? []);

  /** What is written, what was put aside and commands that wait: all that is nowhere else. */
  const keepDraft = () => {
    clearTimeout(draftTimer);
    draftTimer = undefined;
    const { prompt, stash = '', waiting } = store.get();
    const text = pictures.worded(typedOf(prompt).text);
    const written = prompt.shell && text !== '' ? `!${text}` : text;
    const sending = pictures.sending().map(pictures.worded);
    const all = [stash, ...waiting, ...sending, written].filter((part) => part.trim() !== '').join('\n\n');
    ports.drafts?.save(all, picturesIn(all, prompt.images));
  };

  /** Thousands are not listed for every key. */
  const commandsFor = ({ buffer }: Prompt) => (buffer.text.startsWith('/') && ports.slash?.list()) || [];

  const setPrompt = (change: (prompt: Prompt) => Prompt) => {
    const before = store.get().prompt;
    const changed = change(before);
    const next = changed.search ? changed : withSlashMenu(changed, commandsFor(changed));
    store.update((state) => ({ ...state, prompt: next }));
    if (next.buffer !== before.buffer) {
      lookUp(next);
      if (next.menu?.kind === 'slash') lookAgain();
    }
    const changedText = next.buffer.text !== before.buffer.text || next.images !== before.images;
    if (changedText && ports.drafts)
      draftTimer ??= setTimeout(keepDraft, draftPause + sizeOf(next) / lettersPerMs);
  };

  /** Commands that came or went while their menu is open. What is being written now is looked at until it stands. */
  const lookAgain = () =>
    void ports.slash?.fresh?.().then((changed) => {
      if (!changed || store.get().prompt.menu?.kind !== 'slash') return;
      setPrompt((prompt) => ({ ...prompt, menu: undefined }));
      lookAgain();
    });

  /** Asks for completions of `@…`; answers that come too late are dropped. */
  const lookUp = (prompt: Prompt) => {
    const wanted = ports.completions && !prompt.search ? mentionWanted(prompt) : undefined;
    const round = ++lookups;
    if (!wanted || !ports.completions) {
      if (prompt.menu?.kind === 'mention')
        store.update((state) => ({ ...state, prompt: { ...state.prompt, menu: undefined } }));
      return;
    }
    if (prompt.menu?.kind === 'mention' && prompt.menu.query === wanted.query) return;
    void ports.completions.mentions(wanted.query).then((found) => {
      if (round !== lookups) return;
      const entries = found.map((entry) => ({
        ...entry,
        label: safeText(entry.label),
        ...(entry.detail === undefined ? {} : { detail: safeText(entry.detail) }),
      }));
      store.update((state) => ({
        ...state,
        prompt: {
          ...state.prompt,
          menu: {
            kind: 'mention',
            query: wanted.query,
            from: wanted.from,
            entries,
            index: 0,
          },
        },
      }));
    });
  };

  const cycleMode = () => {
    const { facts } = store.get();
    const next = facts.modes[(facts.modes.indexOf(facts.mode) + 1) % facts.modes.length] ?? 'default';
    store.update((state) => ({ ...state, facts: { ...state.facts, mode: next } }));
    void host.session()?.setMode(next).then(host.refresh);
  };

  const pages = conversationPages(host, dialogs);
  const openTranscript = (): void => void pages.transcript();
  const chooseWork = workList(host, commands, pages);
  const watching = agentWatch(host, { open: pages.agent, further: chooseWork });

  const pictures = pendingPictures(() => store.get().prompt, setPrompt);
  const actions = promptActions({
    host,
    commands,
    pictures,
    setPrompt,
    keepDraft,
    openTranscript,
    openWork: watching.enter,
    cycleMode,
  });

  const promptPress = (one: Press) => {
    const state = store.get();
    if (one.name.startsWith('command:'))
      return void actions.submitText(`/${one.name.slice('command:'.length)}`);
    if (state.prompt.search) return actions.searchKey(one);
    if (state.help && one.name === 'text' && one.text !== '?')
      store.update((now) => ({ ...now, help: false }));
    const { remaps = {} } = ports.typing?.() ?? {};
    const step = vimStep(store.get().prompt, one, {
      width: promptWidth(state.columns),
      now: host.now(),
      remaps,
    });
    if (
      step.action !== 'cancel' &&
      step.action !== 'end-of-input' &&
      step.action !== 'escape' &&
      step.action !== 'kill-agents' &&
      state.armed
    ) {
      store.update((now) => ({ ...now, armed: undefined }));
      host.hint(undefined);
    }
    if (step.prompt !== state.prompt) setPrompt(() => step.prompt);
    if (step.action) actions.run(step.action);
  };

  /** Where letters are commands or may stand for others they are taken one by one. */
  const lettersOf = (one: Press): readonly Press[] => {
    const { vim } = store.get().prompt;
    const apart = vim && (vim.mode !== 'insert' || Object.keys(ports.typing?.().remaps ?? {}).length > 0);
    return apart && one.name === 'text' ? [...one.text].map(typed) : [one];
  };

  /** Vim comes and goes with the settings. */
  const settle = () => {
    const on = ports.typing?.().vim ?? false;
    const { prompt } = store.get();
    if (on !== (prompt.vim !== undefined))
      store.update((state) => ({ ...state, prompt: { ...prompt, vim: on ? freshVim : undefined } }));
  };

  const asks = askControl(host, (one) => {
    const name = chord(one);
    if (name === 'ctrl+o') openTranscript();
    if (name === 'ctrl+z') host.stopJob();
    if (name === 'ctrl+l') host.redraw();
    if (name === 'ctrl+t') actions.run('tasks');
    if (name === 'shift+tab') cycleMode();
  });

  /** A question that comes while someone types must not be answered by the rest of the sentence. */
  const unfinished = (one: Press): boolean =>
    one.name !== 'escape' &&
    chord(one) !== 'ctrl+c' &&
    host.now() - typedAt < typingPause &&
    store.get().prompt.buffer.text !== '';

  const dispatch = (one: Press) => {
    const state = store.get();
    const [open] = state.view.asks;
    const asking = state.dialog !== undefined || open !== undefined;
    if (state.page || (asking && !unfinished(one))) {
      // Typed fast, letters arrive together; only the prompt takes them as one text.
      const [first, ...rest] = one.name === 'text' && one.text.length > 1 ? [...one.text].map(typed) : [one];
      if (!first) return;
      if (state.page) dialogs.pageKey(first);
      else if (state.dialog) dialogs.key(first);
      else if (open) asks.press(open, first);
      // The first letter may have closed what was open: the others go where a person would see them go.
      for (const single of rest) dispatch(single);
      return;
    }
    if (watching.key(one)) return;
    typedAt = one.name === 'enter' ? 0 : host.now();
    for (const single of lettersOf(one)) promptPress(single);
  };

  return {
    key(one) {
      settle();
      const before = keymap.pending();
      const found = keymap.read(one, contextsOf(store.get(), unfinished(one)));
      if (before !== undefined) host.hint(undefined);
      for (const press of found) dispatch(press);
      const begun = keymap.pending();
      if (begun !== undefined) host.hint(`${begun} …`);
    },
    paste(text) {
      const state = store.get();
      if (state.page) return dialogs.pagePaste(safeText(text.replace(/\s*[\r\n]+\s*/g, ' ')));
      const line = safeText(text.replace(/[\r\n]+/g, state.dialog ? '' : '\n'));
      if (state.dialog) return dialogs.key(typed(line));
      const [open] = state.view.asks;
      if (open) return asks.paste(open, line);
      const insert = () => setPrompt((prompt) => (prompt.search ? prompt : pasted(prompt, text)));
      const path = ports.images && picturePath(text);
      // At once where no file has to be read: the next key may send it.
      if (path === undefined) return insert();
      if (!store.get().prompt.search && ports.images) pictures.put(ports.images.fromPath(path), text);
    },
    changed(before, after) {
      settle();
      if (before.busy && !after.busy) {
        actions.idle();
        if (host.now() - before.since > longTurn) {
          host.bell();
          ports.notify?.({ title: 'Coppice', message: 'Finished.', kind: 'idle_prompt' });
        }
      }
      const asked = after.asks.find((one) => !before.asks.some((old) => old.id === one.id));
      if (asked) {
        host.bell();
        ports.notify?.({
          title: 'Coppice',
          message: 'A question waits for your answer.',
          kind: asked.question.kind === 'permission' ? 'permission_prompt' : 'question',
        });
      }
      host.refresh();
    },
    keepDraft,
    submitText: actions.submitText,
    attached() {
      settle();
      // What was typed before is completed now that somebody knows the files and commands.
      setPrompt((prompt) => ({ ...prompt }));
      lookUp(store.get().prompt);
      actions.attached();
    },
  };
}

/** Letters of a prompt, folded pastes included. */
const sizeOf = (prompt: Prompt): number =>
  Object.values(prompt.pastes).reduce((sum, text) => sum + text.length, prompt.buffer.text.length);
