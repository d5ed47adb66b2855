/** Names of worktrees: checked before anything is touched, readable where we choose them. */
import { randomInt } from 'node:crypto';

const LONGEST = 64;

/** A sentence when a name cannot be one. */
export const badName = (name: string): string | undefined => {
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}...` : name);
  const rule =
    'Use letters, digits, dots, dashes and underscores, beginning with a letter or digit, 64 characters at most.';
  if (name === '') return `The name of a worktree is empty. ${rule}`;
  if (name.length > LONGEST)
    return `The worktree name ${shown} is too long (${name.length} characters). ${rule}`;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return `${shown} cannot be the name of a worktree. ${rule}`;
  if (name.includes('..') || /\.(lock|git)?$/i.test(name))
    return `${shown} cannot be the name of a worktree: git does not take it as a branch. ${rule}`;
  return undefined;
};

const HOW = [
  'amber',
  'bold',
  'brisk',
  'calm',
  'clear',
  'early',
  'fresh',
  'green',
  'keen',
  'light',
  'mild',
  'quick',
  'quiet',
  'steady',
  'sunny',
  'tall',
  'warm',
  'young',
] as const;
const WHAT = [
  'alder',
  'aspen',
  'birch',
  'bracken',
  'cedar',
  'clover',
  'elm',
  'fern',
  'hazel',
  'heather',
  'ivy',
  'juniper',
  'larch',
  'linden',
  'maple',
  'oak',
  'pine',
  'rowan',
  'sorrel',
  'willow',
] as const;

const pick = (words: readonly string[]): string => words[randomInt(words.length)] ?? 'oak';

/** `quiet-rowan-417`. */
export const readableName = (): string => `${pick(HOW)}-${pick(WHAT)}-${randomInt(100, 1000)}`;
