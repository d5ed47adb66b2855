/** One handler of a hook configuration: `{type, ...}` as spec 6.2 and conventions 1 know it. */
import * as z from 'zod';
import type { HookHandler } from '../contract/hook.ts';

interface ParsedHandler {
  readonly handler?: HookHandler;
  readonly type?: string;
  readonly problems: readonly { readonly place: string; readonly text: string }[];
}

const text = z.string().refine((value) => value.trim() !== '', 'must not be empty');
const seconds = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number),
  ])
  .refine((value) => value > 0);
const strings = z.array(z.string());

/** What each field must be; the words end the sentence "timeout must be ...". */
const fields = {
  if: [z.string(), 'a permission rule such as Bash(git *)'],
  timeout: [seconds, 'a number of seconds above 0'],
  statusMessage: [z.string(), 'a string'],
  once: [z.boolean(), 'true or false'],
  async: [z.boolean(), 'true or false'],
  asyncRewake: [z.boolean(), 'true or false'],
  onFailure: [z.literal('block'), '"block"'],
  command: [text, 'a command line'],
  args: [strings, 'a list of strings'],
  shell: [z.enum(['bash', 'powershell']), '"bash" or "powershell"'],
  prompt: [text, 'the text of a question'],
  model: [z.string(), 'a tier, an alias or a model id'],
  continueOnBlock: [z.boolean(), 'true or false'],
  url: [z.string().regex(/^https?:\/\//i), 'an http or https address'],
  headers: [
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)),
    'an object of strings',
  ],
  allowedEnvVars: [strings, 'a list of variable names'],
} as const;

type Field = keyof typeof fields;
const common: readonly Field[] = ['if', 'timeout', 'statusMessage', 'once', 'onFailure'];
const typed = {
  command: { needs: ['command'], may: ['args', 'shell', 'async', 'asyncRewake'] },
  prompt: { needs: ['prompt'], may: ['model', 'continueOnBlock'] },
  agent: { needs: ['prompt'], may: ['model'] },
  http: { needs: ['url'], may: ['headers', 'allowedEnvVars', 'async'] },
} as const satisfies Readonly<Record<string, { needs: readonly Field[]; may: readonly Field[] }>>;

const isType = (type: string): type is keyof typeof typed => Object.hasOwn(typed, type);

const settled = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('command'), command: z.string() }),
  z.looseObject({ type: z.literal('prompt'), prompt: z.string() }),
  z.looseObject({ type: z.literal('agent'), prompt: z.string() }),
  z.looseObject({ type: z.literal('http'), url: z.string() }),
]);

const noHandler = (type: unknown): string =>
  type === 'mcp_tool'
    ? 'Hooks of type mcp_tool are not run here; this one is skipped.'
    : type === undefined
      ? 'type is missing; write "command", "prompt", "agent" or "http".'
      : `There is no hook type ${JSON.stringify(type)}; write "command", "prompt", "agent" or "http".`;

/**
 * A wrong optional field is left out with a warning; a wrong required one, or a wrong `if` (without it the hook would
 * run on everything), drops the handler.
 */
export const parseHandler = (raw: unknown, place: string): ParsedHandler => {
  const entry = z.record(z.string(), z.unknown()).safeParse(raw).data;
  if (!entry) return { problems: [{ place, text: 'A handler must be an object with a type.' }] };
  const type = entry.type;
  if (typeof type !== 'string' || !isType(type))
    return {
      type: typeof type === 'string' ? type : undefined,
      problems: [{ place, text: noHandler(type) }],
    };
  const problems: { place: string; text: string }[] = [];
  const kept: Record<string, unknown> = { type, place };
  const { needs, may } = typed[type];
  let whole = true;
  const take = (field: Field, needed: boolean): void => {
    const value = entry[field] ?? undefined;
    if (value === undefined && !needed) return;
    const [schema, words] = fields[field];
    const parsed = schema.safeParse(value);
    if (parsed.success) kept[field] = parsed.data;
    else {
      if (needed || field === 'if') whole = false;
      problems.push({
        place: `${place}.${field}`,
        text: `${field} must be ${words}; ${needed || field === 'if' ? 'this hook is skipped' : 'it is ignored'}.`,
      });
    }
  };
  for (const field of needs) take(field, true);
  for (const field of [...common, ...may]) take(field, false);
  for (const field of ['async', 'asyncRewake'] as const)
    if (entry[field] === true && !(may as readonly Field[]).includes(field))
      problems.push({
        place: `${place}.${field}`,
        text: `${field} means nothing on a hook of type ${type}; it runs while the agent waits.`,
      });
  return whole ? { type, handler: settled.parse(kept) as HookHandler, problems } : { type, problems };
};
