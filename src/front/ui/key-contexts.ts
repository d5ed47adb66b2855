import type { KeyContext } from '../../contract/keys.ts';
import { freshAsk } from './ask-choices.ts';
import type { ScreenState } from './screen-state.ts';

/** Where the next key goes, for what was bound anew; nothing in fields where every letter is text. */
export function contextsOf(state: ScreenState, toPrompt: boolean): readonly KeyContext[] {
  const { page, dialog, prompt, view } = state;
  if (page) return page.typing || page.saying !== undefined ? [] : ['Transcript', 'Scroll', 'Global'];
  const [open] = view.asks;
  if (dialog && !toPrompt)
    return dialog.kind === 'pick'
      ? ['Select', 'MessageSelector']
      : dialog.kind === 'confirm'
        ? ['Confirmation', 'Select']
        : [];
  if (open && !toPrompt)
    return (state.asks[open.id] ?? freshAsk).typing ? [] : ['Confirmation', 'Select', 'Global'];
  if (prompt.search) return ['HistorySearch'];
  return [
    ...(prompt.menu && prompt.menu.entries.length > 0 ? (['Autocomplete'] as const) : []),
    ...(state.help ? (['Help'] as const) : []),
    ...(view.busy ? (['Task'] as const) : []),
    'Chat',
    'Global',
  ];
}
