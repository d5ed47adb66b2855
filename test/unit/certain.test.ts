import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { certain } from '../../src/lib/certain.ts';

const record = z.looseObject({
  id: z.string(),
  status: z.enum(['pending', 'completed']),
  blocks: z.array(z.string()).default([]),
  metadata: z.record(z.string(), z.unknown()).optional(),
  version: z.number().int().nonnegative().default(0),
  lease: z.looseObject({ owner: z.string(), assigned: z.boolean().optional() }).optional(),
  note: z.string().optional(),
});
const whole = { id: '1', status: 'pending', blocks: ['2'], version: 3 };

it.each<[string, object]>([
  ['what must be there', {}],
  ['all of it', { metadata: { a: [1] }, lease: { owner: 'o', assigned: true, more: 1 }, note: 'n' }],
  ['unknown fields', { colour: 'red' }],
])('is certain of a record with %s', (_, more) => {
  expect(certain(record)({ ...whole, ...more })).toBe(true);
});

it.each<object>([
  { status: 'paused' },
  { blocks: [1] },
  { blocks: undefined },
  { version: -1 },
  { version: 1.5 },
  { metadata: [] },
  { note: null },
  { lease: {} },
  { lease: { owner: 'o', assigned: 'yes' } },
])('leaves to the schema what it would refuse or change: %j', (more) => {
  expect(certain(record)({ ...whole, ...more })).toBe(false);
});

it.each<[string, z.ZodType, unknown]>([
  ['a shape that drops unknown fields', z.object({ a: z.string() }), { a: 'x', b: 1 }],
  ['a text that is trimmed', z.string().trim(), ' x'],
  ['a text with a bound', z.string().max(2), 'xxx'],
  ['a number made of a text', z.coerce.number(), '1'],
  ['a number with a bound above', z.number().max(2), 3],
  ['a number without an end', z.number(), Number.POSITIVE_INFINITY],
  ['a text made of a number', z.coerce.string(), 1],
  ['a list that is too long', z.array(z.string()).max(1), ['a', 'b']],
  ['a change', z.string().transform((text) => text.length), 'x'],
])('says nothing of %s', (_, schema, value) => {
  expect(certain(schema)(value)).toBe(false);
});

it('is certain only where the schema answers the very same', () => {
  const any = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.constant(null), fc.constant(undefined));
  const near = fc.record(
    {
      id: fc.oneof(fc.string(), any),
      status: fc.constantFrom('pending', 'completed', 'no'),
      blocks: fc.oneof(fc.array(fc.string()), any),
      metadata: fc.oneof(fc.dictionary(fc.string(), any), any),
      version: fc.oneof(fc.nat(), any),
      lease: fc.oneof(fc.record({ owner: any, assigned: fc.boolean() }, { requiredKeys: [] }), any),
      note: any,
      more: any,
    },
    { requiredKeys: ['id', 'status', 'version'] },
  );
  const holds = certain(record);
  fc.assert(
    fc.property(near, (value) => {
      const found = record.safeParse(value);
      if (holds(value)) expect(found).toEqual({ success: true, data: value });
    }),
    { numRuns: 2_000 },
  );
});
