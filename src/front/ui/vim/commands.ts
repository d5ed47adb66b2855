import { after, type Buffer, edits, lineEnd, lineStart, moveTo } from '../editor/buffer.ts';
import type { PromptAction } from '../prompt-keys.ts';
import { type Find, firstInLine, motion, onCharacter } from './motions.ts';
import { type Range, textObject } from './objects.ts';
import {
  join,
  linesOf,
  type Operated,
  type Operator,
  onLines,
  onRange,
  put,
  type Register,
  replaced,
  turned,
} from './operators.ts';
import type { Command } from './parse.ts';
import type { Vim, VimMode } from './vim-state.ts';

/** What a command did. */
export interface Done {
  readonly buffer: Buffer;
  /** Normal unless said. */
  readonly mode?: VimMode;
  readonly register?: Register;
  readonly find?: Find;
  readonly anchor?: number;
  /** `.` does it again. */
  readonly changes?: boolean;
  readonly action?: PromptAction;
}

const operated = (done: Operated, changes: boolean): Done => ({
  buffer: done.buffer,
  ...(done.register ? { register: done.register } : {}),
  ...(done.insert ? { mode: 'insert' as const } : {}),
  changes,
});

const findOf = (keys: string): { readonly find?: Find } =>
  /^[fFtT]./su.test(keys) ? { find: { key: keys[0] ?? 'f', char: keys.slice(1) } } : {};

/** A command of normal mode. */
export function normalCommand(command: Command, buffer: Buffer, vim: Vim): Done {
  const { text, caret } = buffer;
  switch (command.kind) {
    case 'motion': {
      const led = motion(text, caret, command.keys, command.count, vim.find);
      const beyond =
        command.keys === 'j' ? 'history-newer' : command.keys === 'k' ? 'history-older' : undefined;
      if (!led) return { buffer, ...(beyond ? { action: beyond } : {}) };
      return { buffer: moveTo(buffer, led.to), ...findOf(command.keys) };
    }
    case 'lines': {
      let last = caret;
      for (let more = 1; more < command.count; more++) last = Math.min(text.length, lineEnd(text, last) + 1);
      return operated(onLines(command.operator, buffer, { from: caret, to: last }), command.operator !== 'y');
    }
    case 'operate': {
      const changes = command.operator !== 'y';
      if (command.target === 'object') {
        const range = textObject(text, caret, command.keys);
        return range ? operated(onRange(command.operator, buffer, range), changes) : { buffer };
      }
      return onMotion(command.operator, command.keys, command.count, buffer, vim, changes);
    }
    case 'simple':
      return simple(command.keys, command.count ?? 1, buffer, vim);
    default:
      return { buffer };
  }
}

function onMotion(
  operator: Operator,
  keys: string,
  count: number | undefined,
  buffer: Buffer,
  vim: Vim,
  changes: boolean,
): Done {
  const { text, caret } = buffer;
  // Changing a word leaves the blank behind it alone.
  const meant =
    operator === 'c' && /\S/.test(text[caret] ?? ' ') ? keys.replace('w', 'e').replace('W', 'E') : keys;
  const led = motion(text, caret, meant, count, vim.find);
  if (!led) return { buffer };
  if (led.lines) return operated(onLines(operator, buffer, ordered(caret, led.to)), changes);
  let { from, to } = ordered(caret, led.to);
  if (led.inclusive && led.to >= caret) to = after(text, to);
  // The last word of a line does not take the line end along.
  const end = lineEnd(text, from);
  if (/^[wW]$/.test(meant) && to > end && from < end && /^\s*$/.test(text.slice(end, to))) to = end;
  return { ...operated(onRange(operator, buffer, { from, to }), changes), ...findOf(keys) };
}

const ordered = (one: number, other: number): Range => ({
  from: Math.min(one, other),
  to: Math.max(one, other),
});

function simple(keys: string, count: number, buffer: Buffer, vim: Vim): Done {
  const { text, caret } = buffer;
  const [start, end] = [lineStart(text, caret), lineEnd(text, caret)];
  const insertAt = (at: number): Done => ({ buffer: moveTo(buffer, at), mode: 'insert', changes: true });
  const forward = (): number => Math.min(end, motion(text, caret, 'l', count, undefined)?.to ?? caret);
  const change = (operator: Operator, range: Range): Done => operated(onRange(operator, buffer, range), true);
  switch (keys[0]) {
    case 'i':
      return insertAt(caret);
    case 'I':
      return insertAt(firstInLine(text, caret));
    case 'a':
      return insertAt(caret < end ? after(text, caret) : caret);
    case 'A':
      return insertAt(end);
    case 'o':
      return { buffer: replaced(buffer, { from: end, to: end }, '\n'), mode: 'insert', changes: true };
    case 'O':
      return {
        buffer: moveTo(replaced(buffer, { from: start, to: start }, '\n'), start),
        mode: 'insert',
        changes: true,
      };
    case 'v':
    case 'V':
      return { buffer, mode: keys === 'v' ? 'visual' : 'visual-line', anchor: caret };
    case 'x':
      return change('d', { from: caret, to: forward() });
    case 'X':
      return change('d', { from: motion(text, caret, 'h', count, undefined)?.to ?? caret, to: caret });
    case 's':
      return change('c', { from: caret, to: forward() });
    case 'D':
      return change('d', { from: caret, to: end });
    case 'C':
      return change('c', { from: caret, to: end });
    case 'S':
      return operated(onLines('c', buffer, { from: caret, to: caret }), true);
    case 'Y':
      return operated(onLines('y', buffer, { from: caret, to: caret }), false);
    case 'p':
    case 'P':
      return { buffer: put(buffer, vim.register, keys === 'p' ? 'p' : 'P', count), changes: true };
    case 'J':
      return { buffer: join(buffer, count), changes: true };
    case 'u':
      return { buffer: Array.from({ length: count }).reduce<Buffer>((now) => edits.undo(now), buffer) };
    case '~': {
      const to = forward();
      return { buffer: replaced(buffer, { from: caret, to }, turned(text.slice(caret, to))), changes: true };
    }
    case 'r':
      return caret < end
        ? {
            buffer: moveTo(replaced(buffer, { from: caret, to: after(text, caret) }, keys.slice(1)), caret),
            changes: true,
          }
        : { buffer };
    case '/':
      return { buffer, action: 'search' };
    case '?':
      return { buffer, action: 'help' };
    default:
      return { buffer };
  }
}

/** A command while something is selected. */
export function visualCommand(command: Command, buffer: Buffer, vim: Vim): Done {
  const { text, caret } = buffer;
  const stay = { mode: vim.mode };
  if (command.kind === 'motion') {
    const led = motion(text, caret, command.keys, command.count, vim.find);
    const to = led && command.keys === '$' ? onCharacter(text, led.to) : led?.to;
    return { buffer: to === undefined ? buffer : moveTo(buffer, to), ...stay, ...findOf(command.keys) };
  }
  if (command.kind === 'object') {
    const range = textObject(text, caret, command.keys);
    return range
      ? { buffer: moveTo(buffer, onCharacter(text, range.to - 1)), ...stay, anchor: range.from }
      : { buffer, ...stay };
  }
  if (command.kind !== 'simple') return { buffer, ...stay };
  const { from, to: last } = ordered(vim.anchor, caret);
  const range = { from, to: after(text, last) };
  const lines = vim.mode === 'visual-line';
  const take = (operator: Operator, changes: boolean): Done =>
    operated(
      lines ? onLines(operator, buffer, { from, to: last }) : onRange(operator, buffer, range),
      changes,
    );
  const rewrite = (change: (part: string) => string): Done => {
    const part = lines ? linesOf(text, range) : range;
    return { buffer: moveTo(replaced(buffer, part, change(text.slice(part.from, part.to))), part.from) };
  };
  switch (command.keys[0]) {
    case 'd':
    case 'x':
    case 'X':
    case 'D':
      return take('d', false);
    case 'c':
    case 's':
      return take('c', false);
    case 'S':
    case 'C':
      return operated(onLines('c', buffer, { from, to: last }), false);
    case 'y':
    case 'Y':
      return take('y', false);
    case '<':
    case '>':
      return operated(onLines(command.keys as Operator, buffer, { from, to: last }), false);
    case 'p':
    case 'P': {
      const cut = lines ? linesOf(text, range) : range;
      const next = replaced(buffer, cut, vim.register.text);
      return { buffer: next, register: { text: text.slice(cut.from, cut.to), lines } };
    }
    case 'J':
      return { buffer: join(moveTo(buffer, from), text.slice(from, last).split('\n').length) };
    case '~':
      return rewrite(turned);
    case 'u':
      return rewrite((part) => part.toLowerCase());
    case 'r':
      return rewrite((part) => part.replace(/[^\n]/gu, command.keys.slice(1)));
    case 'o':
    case 'O':
      return { buffer: moveTo(buffer, vim.anchor), ...stay, anchor: caret };
    case 'v':
    case 'V': {
      const mode = command.keys === 'v' ? 'visual' : 'visual-line';
      return mode === vim.mode ? { buffer } : { buffer, mode, anchor: vim.anchor };
    }
    default:
      return { buffer, ...stay };
  }
}
