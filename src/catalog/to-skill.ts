import type { SkillInfo } from '../contract/skill.ts';
import { safeText } from '../lib/safe-text.ts';
import { effortOf, modelOf } from './checks.ts';
import type { Found } from './definition.ts';
import { pickFlag, pickList, pickPaths, pickText } from './fields.ts';
import { slug } from './slug.ts';
import { type Executables, hooksOf, mayExecute } from './to-agent.ts';

export type SkillOverride = 'on' | 'name-only' | 'user-invocable-only' | 'off';

/** Longest text of one skill in a listing. */
const LONGEST = 1536;

const listed = (found: Found): string => {
  const when = pickText(found.fields, 'when_to_use');
  const text = when ? `${found.description} ${when}` : found.description;
  const line = safeText(text.replaceAll('\\n', ' ').replace(/\s+/g, ' ')).trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
};

const forkOf = (found: Found): SkillInfo['fork'] => {
  const subtask = found.kind === 'command' && pickFlag(found.fields, 'subtask');
  if (pickText(found.fields, 'context') !== 'fork' && !subtask) return undefined;
  return {
    agent: pickText(found.fields, 'agent') ?? 'general-purpose',
    background: pickFlag(found.fields, 'background') ?? false,
  };
};

const visibility = (found: Found, override: SkillOverride | undefined): SkillInfo['forModel'] => {
  const hidden =
    pickFlag(found.fields, 'disable-model-invocation') ||
    pickFlag(found.fields, 'hide-from-slash-command-tool');
  if (hidden || override === 'user-invocable-only') return 'hidden';
  return override === 'name-only' ? 'name only' : 'listed';
};

/** A skill or command file becomes something that can be called. */
export const toSkill = (
  found: Found,
  executables: Executables,
  override: SkillOverride | undefined,
): SkillInfo => {
  const { fields } = found;
  const model = modelOf(fields);
  const effort = effortOf(fields);
  const hint = pickText(fields, 'argument-hint');
  const fork = forkOf(found);
  const hooks = hooksOf(found, 'skill', executables);
  const named = slug(found.name);
  const alias = found.place.plugin ? `${slug(found.place.plugin.name)}:${named}` : named;
  return {
    slash: found.slash,
    aliases: alias === found.slash || named === '' ? [] : [alias],
    name: found.name,
    kind: found.kind === 'command' ? 'command' : 'skill',
    description: listed(found),
    ...(hint ? { argumentHint: hint } : {}),
    source: found.source,
    path: found.path,
    bytes: found.bytes,
    forModel: visibility(found, override),
    forPerson: pickFlag(fields, 'user-invocable') ?? true,
    allowedTools: mayExecute(found, executables) ? (pickList(fields, 'allowed-tools') ?? []) : [],
    disallowedTools: pickList(fields, 'disallowed-tools') ?? [],
    ...(model && model !== 'inherit' ? { model } : {}),
    ...(effort ? { effort } : {}),
    ...(fork ? { fork } : {}),
    paths: pickPaths(fields),
    ...(hooks ? { hooks } : {}),
  };
};
