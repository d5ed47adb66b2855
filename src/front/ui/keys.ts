import type { Key } from 'ink';

/** One press of a key, by name; `text` is what it types. */
export interface Press {
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly text: string;
}

const press = (name: string, more: Partial<Press> = {}): Press => ({
  name,
  ctrl: false,
  alt: false,
  shift: false,
  text: '',
  ...more,
});
export const typed = (text: string): Press => press('text', { text });
export const named = (name: string, more: Partial<Press> = {}): Press => press(name, more);

const specialKeys: readonly (readonly [keyof Key, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

/** What Ink reports, as presses. Keys typed fast arrive as one text and are taken apart again. */
export function presses(input: string, key: Key): readonly Press[] {
  const held = { ctrl: key.ctrl, alt: key.meta, shift: key.shift };
  if (key.eventType === 'release') return [];
  const special = specialKeys.find(([flag]) => key[flag]);
  if (special?.[1] === 'escape') {
    // Two in one read are one Esc with meta for Ink; only a terminal that names events can tell of Alt+Esc.
    return key.meta && key.eventType === undefined ? [press('escape'), press('escape')] : [press('escape')];
  }
  if (special) return [press(special[1], held)];
  // Only terminals that tell more than letters send this one at all.
  if (key.super) return input === '' ? [] : [press(`super+${input.toLowerCase()}`, held)];
  if (key.ctrl) return input === '' ? [] : [press(input.toLowerCase(), held)];
  if (key.meta)
    return input === ''
      ? []
      : control(input).map((one) =>
          one.name === 'text' ? press(one.text.toLowerCase(), { ...held, text: '' }) : { ...one, alt: true },
        );
  return control(input);
}

/** Control characters inside a run of text are the keys that send them. */
function control(input: string): Press[] {
  const found: Press[] = [];
  let run = '';
  const flush = () => {
    if (run !== '') found.push(typed(run));
    run = '';
  };
  for (const char of input) {
    const code = char.charCodeAt(0);
    if (code >= 0x20 && code !== 0x7f) {
      run += char;
      continue;
    }
    flush();
    if (char === '\r') found.push(press('enter'));
    else if (char === '\t') found.push(press('tab'));
    else if (code === 0x7f || code === 8) found.push(press('backspace'));
    else if (code === 0x1f) found.push(press('_', { ctrl: true }));
    else if (code === 0x1b) found.push(press('escape'));
    else if (code > 0 && code < 0x1b) found.push(press(String.fromCharCode(code + 96), { ctrl: true }));
  }
  flush();
  return found;
}

/** A name for tables: `ctrl+a`, `alt+enter`, `shift+tab`, `up`; single characters typed stand for themselves. */
export const chord = (one: Press): string =>
  one.name === 'text'
    ? one.text
    : `${one.ctrl ? 'ctrl+' : ''}${one.alt ? 'alt+' : ''}${one.shift && one.name !== 'text' ? 'shift+' : ''}${one.name}`;
