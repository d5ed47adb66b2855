/** A cheap look at values of which most are as they should be; the schema stays the only truth. */
import * as z from 'zod';

type Certain = (value: unknown) => boolean;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A number within the bounds that records have; undefined where more is asked of it. */
const certainNumber = ({ coerce, checks = [] }: z.core.$ZodNumberDef): Certain | undefined => {
  const bounds = checks.map((check) => {
    const { def } = (check as z.core.$ZodChecks)._zod;
    if (def.check === 'number_format' && def.format === 'safeint') return Number.isSafeInteger;
    const { value: least } = def.check === 'greater_than' && def.inclusive ? def : {};
    return typeof least === 'number' ? (value: number) => value >= least : undefined;
  });
  if (coerce || bounds.includes(undefined)) return undefined;
  return (value) =>
    typeof value === 'number' && Number.isFinite(value) && bounds.every((holds) => holds?.(value));
};

/**
 * Compiles a schema into a check that is true only where the schema would answer the very same value; false says
 * nothing, and then the schema is to be asked. For reading thousands of small records: the schema's own code costs a
 * fresh process many times as much until it is compiled.
 */
export const certain = (schema: z.core.$ZodType): Certain => {
  // The library's own way to look into a schema: all its kinds are this union.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const asked: Certain = (value) => {
    const { success, data } = z.safeParse(schema, value);
    return success && Object.is(data, value);
  };
  if (def.type === 'number') return certainNumber(def) ?? asked;
  if ('checks' in def && def.checks?.length) return asked;
  switch (def.type) {
    case 'unknown':
      return () => true;
    case 'string':
      return def.coerce ? asked : (value) => typeof value === 'string';
    case 'enum': {
      const values = new Set<unknown>(Object.values(def.entries));
      return (value) => values.has(value);
    }
    case 'optional': {
      const inner = certain(def.innerType);
      return (value) => value === undefined || inner(value);
    }
    case 'default': {
      const inner = certain(def.innerType);
      return (value) => value !== undefined && inner(value);
    }
    case 'array': {
      const element = certain(def.element);
      return (value) => Array.isArray(value) && value.every(element);
    }
    case 'record': {
      const [key, each] = [certain(def.keyType), certain(def.valueType)];
      return (value) =>
        isRecord(value) && Object.entries(value).every(([name, one]) => key(name) && each(one));
    }
    case 'object': {
      // What is not in the shape stays only where anything may.
      if (def.catchall?._zod.def.type !== 'unknown') return asked;
      const names = Object.keys(def.shape);
      const holds = Object.values(def.shape).map(certain);
      // A plain loop: thousands of records are looked at before the engine has compiled anything better.
      return (value) => {
        if (!isRecord(value)) return false;
        for (let at = 0; at < names.length; at++) if (!holds[at]?.(value[names[at] as string])) return false;
        return true;
      };
    }
    default:
      return asked;
  }
};
