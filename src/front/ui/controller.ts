import type { Answer, OpenAsk } from '../../contract/ask.ts';
import type { ScreenCommands } from '../../contract/screen.ts';
import { safeText } from '../../lib/safe-text.ts';
import { type AskUi, freshAsk } from './ask-choices.ts';
import { askKey } from './ask-keys.ts';
import { conversationPages } from './conversation-pages.ts';
import type { Dialogs } from './dialogs.ts';
import type { Host } from './host.ts';
import { chord, type Press, typed } from './keys.ts';
import { type Prompt, pasted, pictured, typedOf } from './prompt.ts';
import { promptActions } from './prompt-actions.ts';
import { mentionWanted, promptKey, slashMenu } from './prompt-keys.ts';
import { promptWidth } from './prompt-lines.ts';
import type { View } from './view-state.ts';
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
const longTurn = 15_000;

export function controller(host: Host, dialogs: Dialogs, commands: ScreenCommands): Controller {
  const { store, ports } = host;
  let typedAt = 0;
  let draftTimer: NodeJS.Timeout | undefined;
  let lookups = 0;

  const keepDraft = () => {
    clearTimeout(draftTimer);
    draftTimer = undefined;
    const { prompt } = store.get();
    const { text } = typedOf(prompt);
    ports.drafts?.save(prompt.shell && text !== '' ? `!${text}` : text);
  };

  const setPrompt = (change: (prompt: Prompt) => Prompt) => {
    const before = store.get().prompt;
    const changed = change(before);
    const next = changed.search ? changed : slashMenu(changed, ports.slash?.list() ?? []);
    store.update((state) => ({ ...state, prompt: next }));
    if (next.buffer !== before.buffer) lookUp(next);
    if (next.buffer.text !== before.buffer.text && ports.drafts)
      draftTimer ??= setTimeout(keepDraft, draftPause);
  };

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
      const entries = found.map((entry) => ({ ...entry, label: safeText(entry.label) }));
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
            loading: false,
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

  const actions = promptActions({
    host,
    commands,
    setPrompt,
    openTranscript,
    openWork: () => void chooseWork(),
    cycleMode,
  });

  const promptPress = (one: Press) => {
    const state = store.get();
    if (state.prompt.search) return actions.searchKey(one);
    if (state.help && one.name === 'text' && one.text !== '?')
      store.update((now) => ({ ...now, help: false }));
    const step = promptKey(store.get().prompt, one, promptWidth(state.columns));
    if (
      step.action !== 'cancel' &&
      step.action !== 'end-of-input' &&
      step.action !== 'escape' &&
      state.armed
    ) {
      store.update((now) => ({ ...now, armed: undefined }));
      host.hint(undefined);
    }
    if (step.prompt !== state.prompt) setPrompt(() => step.prompt);
    if (step.action) actions.run(step.action);
  };

  const askPress = (open: OpenAsk, one: Press) => {
    const ui = store.get().asks[open.id] ?? freshAsk;
    const step = askKey(open, ui, one);
    if ('ui' in step) return setAsk(open, step.ui);
    if ('answer' in step) return answer(open, step.answer);
    if ('edit' in step) return void editPlan(open, ui, step.edit);
    const name = chord(one);
    if (name === 'ctrl+o') openTranscript();
    if (name === 'ctrl+z') host.stopJob();
    if (name === 'ctrl+l') host.redraw();
    if (name === 'ctrl+t') actions.run('tasks');
    if (name === 'shift+tab') cycleMode();
  };

  const setAsk = (open: OpenAsk, ui: AskUi) =>
    store.update((state) => ({ ...state, asks: { ...state.asks, [open.id]: ui } }));

  const answer = (open: OpenAsk, given: Answer) => {
    // Off the screen at once; the session says the same in a moment.
    store.update((state) => ({
      ...state,
      view: { ...state.view, asks: state.view.asks.filter((one) => one.id !== open.id) },
    }));
    host.session()?.answer(open.id, given);
  };

  const editPlan = async (open: OpenAsk, ui: AskUi, plan: string): Promise<void> => {
    const edit = ports.editText;
    if (!edit) return host.hint('No editor is set ($EDITOR).', 2500);
    const edited = await host.suspend(() => edit(plan, 'md'));
    if (edited !== undefined) setAsk(open, { ...ui, plan: edited });
  };

  /** A question that comes while someone types must not be answered by the rest of the sentence. */
  const unfinished = (one: Press): boolean =>
    one.name !== 'escape' &&
    chord(one) !== 'ctrl+c' &&
    host.now() - typedAt < typingPause &&
    store.get().prompt.buffer.text !== '';

  return {
    key(one) {
      const state = store.get();
      const [open] = state.view.asks;
      const asking = state.dialog !== undefined || open !== undefined;
      if (state.page || (asking && !unfinished(one))) {
        // Typed fast, letters arrive together; only the prompt takes them as one text.
        const ones = one.name === 'text' && one.text.length > 1 ? [...one.text].map(typed) : [one];
        for (const single of ones) {
          if (state.page) dialogs.pageKey(single);
          else if (state.dialog) dialogs.key(single);
          else if (open) askPress(open, single);
        }
        return;
      }
      typedAt = one.name === 'enter' ? 0 : host.now();
      promptPress(one);
    },
    paste(text) {
      const state = store.get();
      if (state.page) return;
      const line = safeText(text.replace(/[\r\n]+/g, state.dialog ? '' : '\n'));
      if (state.dialog) return dialogs.key(typed(line));
      const [open] = state.view.asks;
      if (open) {
        const ui = state.asks[open.id] ?? freshAsk;
        return ui.typing ? setAsk(open, { ...ui, text: ui.text + line }) : undefined;
      }
      const insert = () => setPrompt((prompt) => (prompt.search ? prompt : pasted(prompt, text)));
      const path = picturePath(text);
      // At once where no file has to be read: the next key may send it.
      if (path === undefined) return insert();
      void attached(path).then((image) => {
        if (!image) insert();
      });
    },
    changed(before, after) {
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
    attached: actions.attached,
  };

  /** A pasted or dropped path that may be a picture's. */
  function picturePath(text: string): string | undefined {
    const path = text
      .trim()
      .replace(/^(['"])(.*)\1$/, '$2')
      .replace(/\\ /g, ' ')
      .replace(/^file:\/\//, '');
    return ports.images && !path.includes('\n') && /\.(png|jpe?g|gif|webp)$/i.test(path) ? path : undefined;
  }

  /** The picture itself in place of its path; false where there is none. */
  async function attached(path: string): Promise<boolean> {
    const image = await ports.images?.fromPath(path);
    if (image) setPrompt((prompt) => pictured(prompt, image));
    return image !== undefined;
  }
}
