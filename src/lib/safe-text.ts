/**
 * Untrusted text made fit for a terminal (security: terminal output). Whole control sequences are dropped, 7-bit
 * and 8-bit alike, unterminated strings to the end of their line; `\r\n` becomes `\n`, a lone `\r` the mark `␍`;
 * controls, bidi, zero-width and tag characters that could hide or reorder text are spelled out as `<U+202E>`.
 */
export function safeText(text: string): string {
  if (!suspicious.test(text)) return text;
  let out = '';
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const end = sequenceEnd(text, at, code);
    if (end > at) {
      at = end;
      continue;
    }
    const size = code > 0xffff ? 2 : 1;
    out += harmless(text, at, code, size);
    at += size;
  }
  return out;
}

/**
 * The same for questions that decide something: nothing is dropped. Escapes stand as `\x1b`, long runs of blanks
 * are counted, so that what is shown is what would run.
 */
export function visibleText(text: string): string {
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code === 0x0a) out += char;
    else if (code === 0x09) out += '\\t';
    else if (code < 0x20 || code === 0x7f || (code >= 0x80 && code <= 0x9f))
      out += `\\x${code.toString(16).padStart(2, '0')}`;
    else out += deceptive(code) ? spelled(code) : char;
  }
  return out
    .replace(/ {17,}/g, (run) => `    <${run.length} blanks>    `)
    .replace(/\n{5,}/g, (run) => `\n<${run.length - 1} empty lines>\n`);
}

/**
 * How much of a text that is still coming can be made safe by itself: before a torn control sequence, a lone `\r` at
 * its end, half a surrogate pair, or a picture that a joiner may still follow.
 */
export function wholeText(text: string): number {
  const picture = openPicture.exec(text)?.index ?? text.length;
  for (let at = Math.max(0, text.length - LONGEST_SEQUENCE); at < picture; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x1b && (code < 0x80 || code > 0x9f)) continue;
    const end = sequenceEnd(text, at, code);
    if (end >= text.length && !isComplete(text, at)) return at;
    at = Math.max(at, end - 1);
  }
  return picture;
}

/** A sequence that goes on for longer is none that anybody waits for; characters. */
const LONGEST_SEQUENCE = 2000;
const openPicture =
  /(?:\r|[\ud800-\udbff]|(?:\p{Extended_Pictographic}[\p{Emoji_Modifier}\ufe0f]*\u200d?)+[\ud800-\udbff]?)$/u;

/** Whether the sequence that begins here and reaches the end of the text has its own end. */
const isComplete = (text: string, at: number): boolean =>
  sequenceEnd(`${text}x`, at, text.charCodeAt(at)) === text.length;

/** The first line of a text, made safe and cut to a number of characters; for labels. */
export function safeLine(text: string, limit = 400): string {
  const line = safeText(text).trimStart().split('\n', 1)[0] ?? '';
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

// Anything that is neither printable nor a plain line end or tab sends a text through the state machine.
const suspicious =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;

/** Where the control sequence that begins here ends; `at` itself when none begins here. */
function sequenceEnd(text: string, at: number, code: number): number {
  if (code === 0x9b) return csiEnd(text, at + 1);
  if (code === 0x90 || code === 0x98 || code === 0x9d || code === 0x9e || code === 0x9f)
    return stringEnd(text, at + 1, code === 0x9d);
  if (code >= 0x80 && code <= 0x9f) return code === 0x85 ? at : at + 1;
  if (code !== 0x1b) return at;
  const next = text[at + 1];
  if (next === undefined) return at + 1;
  if (next === '[') return csiEnd(text, at + 2);
  if (next === ']') return stringEnd(text, at + 2, true);
  if (next === 'P' || next === 'X' || next === '^' || next === '_') return stringEnd(text, at + 2, false);
  if (next === '\x1b' || next === '\n' || next === '\r') return at + 1;
  return escapeEnd(text, at + 1);
}

/** CSI: parameters, intermediates, one final byte. A broken one ends before the byte that broke it. */
function csiEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && inRange(text, at, 0x20, 0x3f)) at++;
  return at < text.length && inRange(text, at, 0x40, 0x7e) ? at + 1 : at;
}

/** OSC, DCS, APC, PM, SOS: to ST (or BEL for OSC); unterminated ones to the end of the line. */
function stringEnd(text: string, from: number, bell: boolean): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a) return at;
    if (code === 0x9c || (bell && code === 0x07)) return at + 1;
    if (code === 0x1b) return text[at + 1] === '\\' ? at + 2 : at;
  }
  return text.length;
}

/** Two-byte and `ESC ( B`-like escapes: intermediates and one final byte. */
function escapeEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && inRange(text, at, 0x20, 0x2f)) at++;
  return at < text.length && inRange(text, at, 0x30, 0x7e) ? at + 1 : at;
}

const inRange = (text: string, at: number, low: number, high: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= low && code <= high;
};

function harmless(text: string, at: number, code: number, size: number): string {
  if (code === 0x0a || code === 0x09) return text.slice(at, at + size);
  if (code === 0x0d) return text[at + 1] === '\n' ? '' : '␍';
  if (code === 0x85 || code === 0x2028 || code === 0x2029) return '\n';
  if (code < 0x20 || code === 0x7f) return '';
  if (code === 0x200d) return joinsPictures(text, at) ? text.slice(at, at + size) : spelled(code);
  return deceptive(code) ? spelled(code) : text.slice(at, at + size);
}

/** A zero-width joiner between two pictographs makes one emoji; anywhere else it hides something. */
const joinsPictures = (text: string, at: number): boolean =>
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u.test(text.slice(Math.max(0, at - 2), at)) &&
  /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3));

const spelled = (code: number): string => `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;

/** Invisible or reordering characters: bidi, zero-width, fillers, tags, annotation marks. */
const deceptive = (code: number): boolean =>
  code === 0xad ||
  code === 0x34f ||
  code === 0x61c ||
  code === 0x115f ||
  code === 0x1160 ||
  code === 0x17b4 ||
  code === 0x17b5 ||
  code === 0x180e ||
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x2028 && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x206f) ||
  code === 0x3164 ||
  code === 0xfeff ||
  code === 0xffa0 ||
  (code >= 0xfff9 && code <= 0xfffb) ||
  (code >= 0xe0000 && code <= 0xe0fff);
