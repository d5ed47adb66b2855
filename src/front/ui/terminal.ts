/** Sequences that hand the terminal back as it was found. */

const altScreenOff = '\x1b[?1049l';

/** What may have been switched on, switched off; for signal handlers and crashes, where Ink can no longer tidy up. */
export const restoreSequence = (state: { readonly altScreen: boolean; readonly kitty: boolean }): string =>
  `${state.altScreen ? altScreenOff : ''}${state.kitty ? '\x1b[<u' : ''}\x1b[?2026l\x1b[?2004l\x1b[?25h\x1b[0m`;

/** Sets the window's title; the text must be safe. */
export const titleSequence = (title: string): string => `\x1b]0;${title}\x07`;
/** Keeps the title that was there, and puts it back. */
export const titlePush = '\x1b[22;0t';
export const titlePop = '\x1b[23;0t';

export const backgroundQuery = '\x1b]11;?\x1b\\';

/** Dark or light from an OSC 11 reply (`rgb:1e1e/1e1e/1e1e`). */
export function backgroundOf(reply: string): 'dark' | 'light' | undefined {
  const found = /rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})/i.exec(reply);
  if (!found) return undefined;
  const [r, g, b] = [1, 2, 3].map(
    (at) => Number.parseInt(found[at] ?? '0', 16) / (16 ** (found[at]?.length ?? 1) - 1),
  ) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.5 ? 'light' : 'dark';
}
