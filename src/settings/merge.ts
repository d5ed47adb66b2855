/** Scalars of the stronger file win, lists are joined, objects are merged key by key (conventions 2, ruling 10). */
import type { SettingSource, Settings, SettingsLayer } from '../contract/settings.ts';

type Value = Readonly<Record<string, unknown>>;

/** Lists in which order and number mean something: the stronger one counts whole. */
const wholeLists = ['fallbackModel', 'availableModels', 'statusLine'];
/** Read file by file by their owners. */
const notMerged = ['hooks'];

/** From strong to weak. */
export const mergeLayers = (layers: readonly SettingsLayer[]): Settings =>
  layers
    .map((layer): Value => ({ ...layer.settings }))
    .reduce<Value>((strong, weak) => mergeObjects(strong, weak, ''), {});

const mergeObjects = (strong: Value, weak: Value, path: string): Value => {
  const merged: Record<string, unknown> = { ...strong };
  for (const [key, value] of Object.entries(weak)) {
    const held = merged[key];
    if (held === undefined) merged[key] = value;
    else if (path === '' && (wholeLists.includes(key) || notMerged.includes(key))) continue;
    else if (Array.isArray(held) && Array.isArray(value)) merged[key] = joined(held, value);
    else if (isObject(held) && isObject(value)) merged[key] = mergeObjects(held, value, key);
  }
  return merged;
};

const joined = (strong: readonly unknown[], weak: readonly unknown[]): readonly unknown[] => {
  const known = new Set(strong.map((item) => JSON.stringify(item)));
  return [...strong, ...weak.filter((item) => !known.has(JSON.stringify(item)))];
};

const isObject = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Which file decided each key; the entries of objects one by one. For lists and objects as a whole, the strongest that has it. */
export const sourcesOf = (
  layers: readonly SettingsLayer[],
  merged: Settings,
): Readonly<Record<string, SettingSource>> => {
  const sources: Record<string, SettingSource> = {};
  const walk = (value: Value, path: readonly string[]): void => {
    for (const [key, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      const here = [...path, key];
      const layer = layers.find((each) => valueAt(each.settings, here) !== undefined);
      if (layer) sources[here.join('.')] = { value: inner, scope: layer.scope, file: layer.file };
      if (isObject(inner) && !(path.length === 0 && notMerged.includes(key))) walk(inner, here);
    }
  };
  walk({ ...merged }, []);
  return sources;
};

/** The value under a dotted key; entries whose names hold dots are found too. */
export const valueAt = (value: unknown, path: readonly string[]): unknown => {
  if (path.length === 0) return value;
  if (!isObject(value)) return undefined;
  for (let taken = path.length; taken > 0; taken--) {
    const key = path.slice(0, taken).join('.');
    if (Object.hasOwn(value, key)) return valueAt(value[key], path.slice(taken));
  }
  return undefined;
};
