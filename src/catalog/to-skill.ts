import type { SkillInfo } from '../contract/skill.ts';
import { safeText } from '../lib/safe-text.ts';
import { effortOf, modelOf } from './checks.ts';
import type { Found } from './definition.ts';
import { type Fields, pickFlag, pickList, pickPaths, pickText } from './fields.ts';
import { slug } from './slug.ts';
import { type Executables, hooksOf, mayExecute } from './to-agent.ts';

export type SkillOverride = 'on' | 'name-only' | 'user-invocable-only' | 'off';

/** Longest text of one skill in a listing. */
const LONGEST = 1536;

/** Keys that a skill in the strict agentskills.io form keeps under `metadata`; none of them lets anything run. */
const portable = [
  'argument-hint',
  'context',
  'agent',
  'background',
  'disable-model-invocation',
  'user-invocable',
] as const;

/** A key of its own goes before `coppice-KEY` of `metadata`, where the standard has clients put theirs. */
const withMetadata = (fields: Fields): Fields => {
  const { metadata } = fields;
  if (typeof metadata !== 'object' || metadata === null) return fields;
  const kept = new Map(Object.entries(metadata));
  const own = portable.flatMap((key) =>
    kept.has(`coppice-${key}`) ? [[key, kept.get(`coppice-${key}`)]] : [],
  );
  return { ...Object.fromEntries(own), ...fields };
};

const listed = (found: Found): string => {
  const when = pickText(found.fields, 'when_to_use');
  const text = when ? `${found.description} ${when}` : found.description;
  const line = safeText(text.replaceAll('\\n', ' ').replace(/\s+/g, ' ')).trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
};

const forkOf = (kind: Found['kind'], fields: Fields): SkillInfo['fork'] => {
  const subtask = kind === 'command' && pickFlag(fields, 'subtask');
  if (pickText(fields, 'context') !== 'fork' && !subtask) return undefined;
  return {
    agent: pickText(fields, 'agent') ?? 'general-purpose',
    background: pickFlag(fields, 'background') ?? false,
  };
};

const visibility = (fields: Fields, override: SkillOverride | undefined): SkillInfo['forModel'] => {
  const hidden =
    pickFlag(fields, 'disable-model-invocation') || pickFlag(fields, 'hide-from-slash-command-tool');
  if (hidden || override === 'user-invocable-only') return 'hidden';
  return override === 'name-only' ? 'name only' : 'listed';
};

/** A skill or command file becomes something that can be called. */
export const toSkill = (
  found: Found,
  executables: Executables,
  override: SkillOverride | undefined,
): SkillInfo => {
  const fields = withMetadata(found.fields);
  const model = modelOf(fields);
  const effort = effortOf(fields);
  const hint = pickText(fields, 'argument-hint');
  const fork = forkOf(found.kind, fields);
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
    forModel: visibility(fields, override),
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
