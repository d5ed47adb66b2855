/** `keybindings.json`: keys a person bound anew. One bad entry costs that entry, not the file. */
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { type KeyBinding, type KeyContext, keyActions, keyContexts } from '../contract/keys.ts';
import { ensureFolder } from '../lib/ensure-folder.ts';
import { nearNames } from '../lib/near-names.ts';
import { readJsonFile } from './read-file.ts';

export interface Keybindings {
  readonly bindings: readonly KeyBinding[];
  /** One sentence each: file, place, found, expected. */
  readonly problems: readonly string[];
}

const File = z.looseObject({
  bindings: z.array(
    z.looseObject({ context: z.string(), bindings: z.record(z.string(), z.string().nullable()) }),
  ),
});

/** Parts of other programs' screens: their actions are passed over without a word. */
const elsewhere =
  /^(tabs|attachments|footer|diff|modelPicker|plugin|settings|voice|theme|selection|permission|app|chat):\w+$/;

/** These two always end what runs and leave; the third is what Enter sends. */
const reserved: Readonly<Record<string, string>> = {
  'ctrl+c': 'it always interrupts and leaves',
  'ctrl+d': 'it always leaves',
  'ctrl+m': 'terminals send it for Enter: bind enter',
};

/** The bindings of one file; none where it is missing. `quiet` passes over actions that only other programs have. */
export const readKeybindings = async (file: string, quiet: boolean): Promise<Keybindings> => {
  const read = await readJsonFile(file);
  if ('missing' in read) return { bindings: [], problems: [] };
  if ('wrong' in read)
    return {
      bindings: [],
      problems: [`${file}: found ${read.wrong.found}, expected ${read.wrong.expected}.`],
    };
  const parsed = File.safeParse(read.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') || 'the file';
    return {
      bindings: [],
      problems: [
        `${file}: ${place}: ${issue?.message ?? 'wrong'}; expected {"bindings": [{"context": "Chat", "bindings": {"ctrl+e": "chat:externalEditor"}}]}.`,
      ],
    };
  }
  const bindings: KeyBinding[] = [];
  const problems: string[] = [];
  parsed.data.bindings.forEach((block, at) => {
    const context = keyContexts.find((known) => known === block.context);
    if (!context) {
      problems.push(
        `${file}: bindings.${at}.context: found "${block.context}", expected one of ${keyContexts.join(', ')}.`,
      );
      return;
    }
    for (const [written, action] of Object.entries(block.bindings)) {
      const bound = bindingOf(context, written, action, quiet);
      if (typeof bound === 'string')
        problems.push(`${file}: bindings.${at}.bindings["${written}"]: ${bound}`);
      else if (bound) bindings.push(bound);
    }
  });
  return { bindings, problems };
};

/** A binding, nothing where it means nothing here, or what is wrong with it. */
const bindingOf = (
  context: KeyContext,
  written: string,
  action: string | null,
  quiet: boolean,
): KeyBinding | string | undefined => {
  const keys = keysOf(written);
  if ('wrong' in keys) return keys.wrong;
  const kept = reserved[keys.name];
  if (kept) return `${keys.name} cannot be bound: ${kept}.`;
  if (action === null || Object.hasOwn(keyActions, action) || /^command:[\w:.-]+$/.test(action))
    return { context, keys: keys.name, action };
  if (quiet && elsewhere.test(action)) return undefined;
  const near = nearNames(action, Object.keys(keyActions))[0];
  return `found "${action}", expected an action${near ? ` (did you mean ${near}?)` : ''}; /keybindings list shows them.`;
};

const modifiers: Readonly<Record<string, 'ctrl' | 'alt' | 'shift' | 'super'>> = {
  ctrl: 'ctrl',
  control: 'ctrl',
  alt: 'alt',
  opt: 'alt',
  option: 'alt',
  meta: 'alt',
  shift: 'shift',
  cmd: 'super',
  command: 'super',
  super: 'super',
  win: 'super',
};

const names: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  del: 'delete',
  pgup: 'pageup',
  pgdn: 'pagedown',
  pgdown: 'pagedown',
  plus: '+',
};

const named =
  /^(escape|enter|tab|space|up|down|left|right|home|end|pageup|pagedown|backspace|delete|f([1-9]|1[0-2]))$/;

/** `Ctrl+K ctrl+s` as the screen names it. */
export const keysOf = (written: string): { readonly name: string } | { readonly wrong: string } => {
  const presses = written.trim().split(/\s+/).map(pressOf);
  const wrong = presses.find((one) => one === undefined || one === '');
  return wrong !== undefined || presses.includes(undefined)
    ? {
        wrong: 'found no key by that name, expected one such as ctrl+k, alt+enter, escape, or ctrl+k ctrl+s.',
      }
    : { name: presses.join(' ') };
};

const pressOf = (written: string): string | undefined => {
  const parts = written === '+' ? ['+'] : written.replace(/\+\+$/, '+plus').split('+');
  const last = parts.at(-1) ?? '';
  const held = new Set(parts.slice(0, -1).map((part) => modifiers[part.toLowerCase()]));
  if (held.has(undefined)) return undefined;
  const lower = last.toLowerCase();
  const key = names[lower] ?? ([...last].length === 1 && held.size === 0 ? last : lower);
  const isLetter = [...key].length === 1;
  if (!isLetter && !named.test(key)) return undefined;
  // Shift and a letter is the capital letter, as typed.
  if (isLetter && held.size === 1 && held.has('shift')) return key.toUpperCase();
  const before = (['ctrl', 'alt', 'shift', 'super'] as const).filter((one) => held.has(one));
  return [...before, key].join('+');
};

/** What a new file holds. */
const template = `${JSON.stringify(
  {
    bindings: [
      { context: 'Chat', bindings: { 'ctrl+x ctrl+e': 'chat:externalEditor' } },
      { context: 'Global', bindings: {} },
    ],
  },
  null,
  2,
)}
`;

/** Creates the file with an example where there is none yet. */
export const startKeybindings = async (file: string): Promise<void> => {
  await ensureFolder(dirname(file), 0o700);
  await writeFile(file, template, { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
};
