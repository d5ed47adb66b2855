import type { Press } from '../keys.ts';
import type { Find } from './motions.ts';
import type { Register } from './operators.ts';

export type VimMode = 'insert' | 'normal' | 'visual' | 'visual-line';

/** Where a person stands who types as in vim. */
export interface Vim {
  readonly mode: VimMode;
  /** Keys of an unfinished command. */
  readonly keys: string;
  readonly register: Register;
  readonly find?: Find;
  /** The other end of a selection. */
  readonly anchor: number;
  /** Keys of the last change, for `.`. */
  readonly change: readonly Press[];
  /** Keys of the change that is being typed. */
  readonly recording?: readonly Press[];
  /** Steps of undo when insert mode was entered. */
  readonly mark?: number;
  /** When a letter was typed last, for remaps. */
  readonly typedAt: number;
}

export const freshVim: Vim = {
  mode: 'insert',
  keys: '',
  register: { text: '', lines: false },
  anchor: 0,
  change: [],
  typedAt: 0,
};

export const vimModeName: Readonly<Record<VimMode, string>> = {
  insert: '-- INSERT --',
  normal: '-- NORMAL --',
  visual: '-- VISUAL --',
  'visual-line': '-- VISUAL LINE --',
};
