import * as z from 'zod';
import type { SessionState } from '../contract/state.ts';
import type { PreparedCall, Tool } from '../contract/tool.ts';
import { complaint } from './complaint.ts';
import { mend } from './mend.ts';

export interface ToolDefinition<Shape extends z.ZodRawShape> {
  /** Canonical, as in contract/tool-names.ts. */
  readonly name: string;
  /** What the model reads: what the tool does, what persists between calls and what does not. */
  readonly description: string;
  /** One schema is type, check and what the model sees. */
  readonly input: z.ZodObject<Shape>;
  /** Other names under which a parameter is accepted. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** The checked input becomes a call, or a sentence that says why not. Cheap and without effects: it may run twice. */
  call(input: z.output<z.ZodObject<Shape>>, state: SessionState): PreparedCall | { readonly invalid: string };
}

/** A tool from its zod schema: JSON Schema for the model, lenient reading of its mistakes, errors in sentences. */
export const defineTool = <Shape extends z.ZodRawShape>(definition: ToolDefinition<Shape>): Tool => {
  const { name, input } = definition;
  let made: Readonly<Record<string, unknown>> | undefined;
  return {
    schema: {
      name,
      description: definition.description.trim(),
      // Not before the first request: the first frame needs no schema.
      get input_schema() {
        made ??= jsonSchema(input);
        return made;
      },
    },
    prepare: (raw, state) => {
      const mended = mend(raw, input.shape, definition.renamed ?? {});
      if (hasProto(mended))
        return { invalid: `"__proto__" cannot be the name of a key in the input of ${name}.` };
      const parsed = input.safeParse(mended);
      return parsed.success
        ? definition.call(parsed.data, state)
        : { invalid: complaint(name, parsed.error.issues, mended) };
    },
  };
};

/** A key that records leave out without a word. */
const hasProto = (input: unknown): boolean =>
  typeof input === 'object' &&
  input !== null &&
  Object.values(input).some(
    (value) => typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'),
  );

const jsonSchema = (input: z.ZodObject): Readonly<Record<string, unknown>> => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { target: 'draft-7', io: 'input' });
  return schema;
};
