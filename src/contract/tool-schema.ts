/** What the model is told of a tool. `input_schema` is JSON Schema, made from the tool's zod schema. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}
