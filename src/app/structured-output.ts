/** `--json-schema`: the model answers by calling a tool whose input is the schema; the run ends with that call. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { Tool } from '../contract/tool.ts';
import { errorText } from '../lib/error-text.ts';

export interface Structured {
  readonly name: string;
  readonly tool: Tool;
  value(): unknown;
}

const objectSchema = z.looseObject({ type: z.literal('object') });

export const structuredOutput = async (given: string): Promise<Structured> => {
  const text = given.trimStart().startsWith('{')
    ? given
    : await readFile(given, 'utf8').catch(() => undefined);
  if (text === undefined) throw new Error(`--json-schema takes JSON or a file; ${given} cannot be read.`);
  const schema = readSchema(text);
  const check = compile(schema);
  let kept: unknown;
  const name = 'StructuredOutput';
  return {
    name,
    value: () => kept,
    tool: {
      schema: {
        name,
        description:
          'Gives your final answer in the form the user needs. Call it exactly once, when the work is done; it ends the run.',
        input_schema: schema,
      },
      prepare(raw) {
        const problem = check(raw);
        if (problem) return { invalid: `${name}: ${problem} Mend the input and call it again.` };
        return {
          input: raw as Readonly<Record<string, unknown>>,
          subject: 'the final answer',
          readOnly: true,
          parallel: false,
          async run() {
            kept = raw;
            return { status: 'ok', text: 'Taken as the final answer.' };
          },
        };
      },
    },
  };
};

const readSchema = (text: string): Readonly<Record<string, unknown>> => {
  try {
    return objectSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(
      `--json-schema needs a JSON Schema whose type is "object" (${error instanceof SyntaxError ? error.message : 'the type is missing or another'}).`,
    );
  }
};

/** A sentence for input that does not fit; undefined when it does. */
const compile = (schema: Readonly<Record<string, unknown>>): ((value: unknown) => string | undefined) => {
  try {
    const parser = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    return (value) => {
      const issue = parser.safeParse(value).error?.issues[0];
      return issue && `${issue.path.join('.') || 'the input'}: ${issue.message}.`;
    };
  } catch (error) {
    throw new Error(`--json-schema cannot be used: ${errorText(error)}.`);
  }
};
