/**
 * The ways terminals report modified keys, as the one that Ink knows (`CSI code ; modifiers u`): xterm's
 * `CSI 27 ; modifiers ; code ~`, and reports that add the shifted key and the key of the base layout. With Ctrl or Alt
 * the base layout counts, so that shortcuts are where they are printed on a Latin keyboard.
 */
export const plainReports = (text: string): string =>
  text.includes('\x1b[')
    ? text
        .replace(otherKeys, (_all, modifiers: string, code: string) => `\x1b[${code};${modifiers}u`)
        .replace(alternates, (_all, code: string, base: string | undefined, rest: string) => {
          const held = Number(/^;(\d+)/.exec(rest)?.[1] ?? 1) - 1;
          return `\x1b[${base && (held & ALT_OR_CTRL) !== 0 ? base : code}${rest}u`;
        })
    : text;

const ALT_OR_CTRL = 0b110;
const otherKeys = /\x1b\[27;(\d+);(\d+)~/g;
const alternates = /\x1b\[(\d+):\d*(?::(\d+))?((?:;[\d:]+){0,2})u/g;
/** One of these at the end of what was read, its rest still to come. */
export const unfinishedReport = /\x1b\[(?:27;[\d;]*|\d+:[\d:;]*)$/;
