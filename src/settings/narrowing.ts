/** A project may make what the person set stricter, never looser (security 2.5): applied to its layers before they are merged. */
import type { Settings, SettingsLayer } from '../contract/settings.ts';
import { mergeLayers } from './merge.ts';

export const isProjectLayer = ({ scope }: Pick<SettingsLayer, 'scope'>): boolean =>
  scope === 'project' || scope === 'local';

/** Where the person chose this value, no project takes it back. */
const strict = {
  gitReadOnly: false,
  disableSkillShellExecution: true,
  fileCheckpointingEnabled: true,
  agentSwarms: false,
  autoMemoryEnabled: false,
} as const satisfies Partial<Settings>;

/** Where the person wrote any value, it stands; of maps, entry by entry. */
const personsOwn = ['availableModels', 'prices', 'skillOverrides'] as const;

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The smaller number at every place where both have one. */
const smaller = (mine: unknown, theirs: unknown): unknown => {
  if (typeof mine === 'number' && typeof theirs === 'number') return Math.min(mine, theirs);
  if (!isMap(mine) || !isMap(theirs)) return theirs;
  return Object.fromEntries(Object.entries(theirs).map(([key, value]) => [key, smaller(mine[key], value)]));
};

const without = (theirs: unknown, mine: unknown): unknown =>
  isMap(theirs) && isMap(mine)
    ? Object.fromEntries(Object.entries(theirs).filter(([key]) => mine[key] === undefined))
    : undefined;

const narrowed = (theirs: Settings, mine: Settings): Settings => {
  const kept: Record<string, unknown> = { ...theirs };
  for (const [key, value] of Object.entries(strict))
    if (mine[key as keyof typeof strict] === value) delete kept[key];
  for (const key of personsOwn)
    if (mine[key] !== undefined && theirs[key] !== undefined) kept[key] = without(theirs[key], mine[key]);
  if (theirs.limits) kept.limits = smaller(mine.limits, theirs.limits);
  if (theirs.sandbox?.autoAllowBashIfSandboxed && mine.sandbox?.autoAllowBashIfSandboxed === false)
    kept.sandbox = { ...theirs.sandbox, autoAllowBashIfSandboxed: false };
  return kept;
};

/**
 * Layers as they count. `disableAllHooks` of a project silences the hooks of its own settings alone, so that what the
 * person's hooks guard stays guarded.
 */
export const narrowProject = (layers: readonly SettingsLayer[]): readonly SettingsLayer[] => {
  const mine = mergeLayers(layers.filter((layer) => !isProjectLayer(layer)));
  const silent = layers.some((layer) => isProjectLayer(layer) && layer.settings.disableAllHooks === true);
  return layers.map((layer) => {
    if (!isProjectLayer(layer)) return layer;
    const { disableAllHooks: _, hooks, ...rest } = narrowed(layer.settings, mine);
    return { ...layer, settings: silent || hooks === undefined ? rest : { ...rest, hooks } };
  });
};
