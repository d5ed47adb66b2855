import type * as z from 'zod';

/**
 * What models get wrong without meaning anything else: numbers and booleans as strings, lists and objects as JSON
 * text, null for what is left out, the whole input as JSON text, a parameter's older name. The rest stays as it is.
 */
export const mend = (
  raw: unknown,
  shape: z.ZodRawShape,
  renamed: Readonly<Record<string, string>>,
): unknown => {
  const input = typeof raw === 'string' ? (parsed(raw) ?? raw) : (raw ?? {});
  if (!isRecord(input)) return input;
  const entries = Object.entries(input).flatMap(([given, value]): [string, unknown][] => {
    const name = renamed[given] !== undefined && !(renamed[given] in input) ? renamed[given] : given;
    const wanted = shape[name] && kindOf(shape[name]);
    if (wanted?.optional && value === null) return [];
    return [[name, wanted ? mended(value, wanted.kind) : value]];
  });
  return Object.fromEntries(entries);
};

const mended = (value: unknown, kind: string): unknown => {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  switch (kind) {
    case 'boolean':
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : value;
    case 'number':
      return text !== '' && Number.isFinite(Number(text)) ? Number(text) : value;
    case 'array':
    case 'object':
    case 'record':
      return /^[[{]/.test(text) ? (parsed(text) ?? value) : value;
    default:
      return value;
  }
};

/** The kind beneath `.optional()` and `.default()`. */
const kindOf = (schema: z.core.$ZodType): { readonly kind: string; readonly optional: boolean } => {
  const { def } = schema._zod;
  if ('innerType' in def && isSchema(def.innerType))
    return { kind: kindOf(def.innerType).kind, optional: def.type === 'optional' || def.type === 'default' };
  return { kind: def.type, optional: false };
};

const isSchema = (value: unknown): value is z.core.$ZodType =>
  typeof value === 'object' && value !== null && '_zod' in value;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parsed = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
};
