import { edits } from './editor/buffer.ts';
import { searchOf } from './frame.ts';
import { chord, type Press } from './keys.ts';
import { emptyPrompt, filled, type Prompt, withBuffer } from './prompt.ts';
import type { ScreenState } from './screen-state.ts';

/** One step through history; the draft waits below the newest entry. */
export function browsed(prompt: Prompt, entries: readonly string[], step: 1 | -1): Prompt {
  const at = prompt.browsing?.index ?? -1;
  const index = at + step;
  if (index >= entries.length || index < -1) return prompt;
  const draft = prompt.browsing?.draft ?? prompt.buffer.text;
  const text = index < 0 ? draft : (entries[index] ?? '');
  const shell = index >= 0 && text.startsWith('!');
  const next = filled(
    { ...prompt, pastes: index < 0 ? prompt.pastes : emptyPrompt.pastes },
    shell ? text.slice(1) : text,
  );
  const placed = step === 1 ? next : withBuffer(next, edits.end(next.buffer));
  return { ...placed, shell, browsing: index < 0 ? undefined : { index, draft } };
}

/** One key while history is searched (Ctrl+R). */
export function searchKey(
  state: ScreenState,
  one: Press,
  setPrompt: (change: (prompt: Prompt) => Prompt) => void,
  submit: () => void,
) {
  const { search } = state.prompt;
  if (!search) return;
  const { found } = searchOf(state);
  const leave = (text: string) => setPrompt((prompt) => filled({ ...prompt, search: undefined }, text));
  const narrowed = (query: string) =>
    setPrompt((prompt) => ({ ...prompt, search: { ...search, query, skip: 0 } }));
  switch (chord(one)) {
    case 'ctrl+r':
      return setPrompt((prompt) => ({
        ...prompt,
        search: { ...search, skip: found === undefined ? search.skip : search.skip + 1 },
      }));
    case 'ctrl+c':
    case 'ctrl+g':
      return leave(search.draft);
    case 'enter':
      leave(found ?? search.draft);
      return submit();
    case 'backspace':
      return narrowed([...search.query].slice(0, -1).join(''));
    default:
      return one.name === 'text' ? narrowed(search.query + one.text) : leave(found ?? search.draft);
  }
}
