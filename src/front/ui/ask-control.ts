import type { Answer, OpenAsk } from '../../contract/ask.ts';
import { type AskUi, choicesOf, freshAsk, wantsWords } from './ask-choices.ts';
import { askKey } from './ask-keys.ts';
import type { Host } from './host.ts';
import type { Press } from './keys.ts';

/** Takes keys to the question in front and its answer to the session. */
export interface AskControl {
  press(open: OpenAsk, one: Press): void;
  paste(open: OpenAsk, text: string): void;
}

/** `pass` gets keys that mean something to the screen behind the question. */
export function askControl(host: Host, pass: (one: Press) => void): AskControl {
  const { store, ports } = host;
  const uiOf = (open: OpenAsk): AskUi => store.get().asks[open.id] ?? freshAsk;
  const show = (open: OpenAsk, ui: AskUi) =>
    store.update((state) => ({ ...state, asks: { ...state.asks, [open.id]: ui } }));

  const answer = (open: OpenAsk, given: Answer) => {
    // Off the screen at once; the session says the same in a moment.
    store.update((state) => ({
      ...state,
      view: { ...state.view, asks: state.view.asks.filter((one) => one.id !== open.id) },
    }));
    host.session()?.answer(open.id, given);
  };

  const editPlan = async (open: OpenAsk, plan: string): Promise<void> => {
    const edit = ports.editText;
    if (!edit) return host.hint('No editor is set ($EDITOR).', 2500);
    const edited = await host.suspend(() => edit(plan, 'md'));
    if (edited !== undefined) show(open, { ...uiOf(open), plan: edited });
  };

  return {
    press(open, one) {
      const step = askKey(open, uiOf(open), one);
      if ('ui' in step) return show(open, step.ui);
      if ('answer' in step) return answer(open, step.answer);
      if ('edit' in step) return void editPlan(open, step.edit);
      pass(one);
    },
    paste(open, text) {
      const ui = uiOf(open);
      if (ui.typing || wantsWords(choicesOf(open, ui)[ui.index]))
        show(open, { ...ui, typing: true, text: ui.text + text });
    },
  };
}
