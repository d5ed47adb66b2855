/** What is wrong with the fields of a definition: sentences for doctor and lists. */
import type { DefinitionKind } from '../contract/catalog.ts';
import type { Mode } from '../contract/mode.ts';
import { modes } from '../contract/mode.ts';
import type { Effort } from '../contract/model.ts';
import { type Fields, pick, pickFlag, pickText } from './fields.ts';
import { knownTools } from './tool-list.ts';

const efforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

export const effortOf = (fields: Fields): Effort | undefined => {
  const text = pickText(fields, 'effort')?.toLowerCase();
  return efforts.find((effort) => effort === text);
};

/** `manual`, `normal` and `auto` mean the default mode. */
export const modeOf = (fields: Fields): Mode | undefined => {
  const text = pickText(fields, 'permissionMode');
  if (text === undefined) return undefined;
  return ['manual', 'normal', 'auto'].includes(text.toLowerCase())
    ? 'default'
    : modes.find((mode) => mode.toLowerCase() === text.toLowerCase());
};

export const turnsOf = (fields: Fields): number | undefined => {
  const turns = Number(pickText(fields, 'maxTurns'));
  return Number.isInteger(turns) && turns > 0 ? turns : undefined;
};

const memories = ['user', 'project', 'local'] as const;

/** Where an agent keeps what it remembers. */
export const memoryOf = (fields: Fields): (typeof memories)[number] | undefined =>
  memories.find((one) => one === pickText(fields, 'memory')?.toLowerCase());

/** Not a word that a model could be called: display names become ids, everything else stays. */
export const modelOf = (fields: Fields): string | undefined => {
  const text = pickText(fields, 'model');
  if (text === undefined) return undefined;
  return /^claude\s/i.test(text) ? text.toLowerCase().replace(/[\s.]+/g, '-') : text;
};

const wrong = (fields: Fields, key: string, expected: string): string =>
  `${key} is ${JSON.stringify(pick(fields, key))}, which is not ${expected}; it does not count.`;

const flags: readonly string[] = ['disable-model-invocation', 'user-invocable', 'background'];

export const problemsOf = (kind: DefinitionKind, fields: Fields): readonly string[] => {
  const problems: string[] = [];
  const has = (key: string) => pick(fields, key) !== undefined;
  const fault = (key: string, known: unknown, expected: string) => {
    if (has(key) && known === undefined) problems.push(wrong(fields, key, expected));
  };
  fault('model', modelOf(fields), 'the name of a model');
  fault('effort', effortOf(fields), `one of ${efforts.join(', ')}`);
  for (const flag of flags) fault(flag, pickFlag(fields, flag), 'true or false');
  if (kind !== 'agent') {
    if (has('context') && pickText(fields, 'context') !== 'fork')
      problems.push(wrong(fields, 'context', '"fork"'));
    return problems;
  }
  fault('permissionMode', modeOf(fields), `one of ${modes.join(', ')}`);
  fault('maxTurns', turnsOf(fields), 'a whole number above 0');
  fault('memory', memoryOf(fields), `one of ${memories.join(', ')}`);
  if (has('isolation') && pickText(fields, 'isolation') !== 'worktree')
    problems.push(wrong(fields, 'isolation', '"worktree"'));
  const tools = knownTools(fields);
  if (tools.unknown.length > 0)
    problems.push(
      `${tools.unknown.length === 1 ? 'The tool' : 'The tools'} ${tools.unknown.join(', ')} ${tools.unknown.length === 1 ? 'is' : 'are'} not known here and left out.`,
    );
  if (tools.tools?.length === 0)
    problems.push('Its list of tools names none that is known; such an agent is not started.');
  return problems;
};
