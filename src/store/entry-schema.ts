/** What an entry must look like to be believed when it is read back. Fields beyond these are kept as they are. */
import * as z from 'zod';
import { modes } from '../contract/mode.ts';

const mode = z.enum(modes);
const optionalText = z.string().optional();
const blocks = z.array(z.looseObject({ type: z.string() }));
const place = z.looseObject({ box: z.string(), place: z.number() }).optional();
const agent = z.looseObject({ type: z.string() });
const count = z.number();

const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count.default(0),
  cache_read_input_tokens: count.default(0),
});

export const assistantMessage = z.looseObject({
  role: z.literal('assistant'),
  id: z.string(),
  model: z.string(),
  content: blocks,
  stop_reason: z.string().nullable().default(null),
  usage: usage.default({
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  }),
});

export const userMessage = z.looseObject({ role: z.literal('user'), content: z.union([z.string(), blocks]) });

const origin = z.looseObject({
  kind: z.enum(['person', 'tools', 'hook', 'agent', 'mail', 'command', 'system']),
});

/** The part of user and assistant lines that public readers do not know. */
export const userExtra = z.looseObject({
  origin,
  mail: place,
  responses: z.record(z.string(), z.unknown()).optional(),
  /** The one call whose structured result stands in `toolUseResult`. */
  responseOf: optionalText,
  display: optionalText,
  summaries: z.record(z.string(), z.string()).optional(),
  mode: mode.optional(),
});
export const assistantExtra = z.looseObject({ partial: z.boolean().optional() });

/** Bodies that are stored as lines of their own. */
export const bodies = {
  opened: z.looseObject({
    source: z.enum(['startup', 'resume', 'clear', 'compact', 'fork']),
    agent,
    root: z.string(),
    cwd: z.string(),
    project: z.string(),
    model: z.string(),
    mode,
    taskList: z.string(),
    mailFrom: z.record(z.string(), z.number()).optional(),
    title: optionalText,
    headless: z.boolean().optional(),
  }),
  refused: z.looseObject({ text: z.string(), reason: z.string(), mail: place }),
  failed: z.looseObject({
    failure: z.looseObject({ kind: z.string(), text: z.string(), retryable: z.boolean() }),
  }),
  mode: z.looseObject({ mode }),
  model: z.looseObject({ model: optionalText }),
  cwd: z.looseObject({ cwd: z.string() }),
  directories: z.looseObject({ directories: z.array(z.string()) }),
  team: z.looseObject({
    team: z.string().nullable(),
    taskList: z.string(),
    mailFrom: z.record(z.string(), z.number()).optional(),
  }),
  worktree: z.looseObject({
    worktree: z.looseObject({ name: z.string(), path: z.string() }).nullable(),
    cwd: z.string(),
    checkout: z.string(),
  }),
  seen: z.looseObject({
    path: z.string(),
    file: z.looseObject({ hash: z.string(), mtimeMs: count, size: count }),
  }),
  title: z.looseObject({ title: z.string(), byPerson: z.boolean() }),
  grant: z.looseObject({
    rules: z.array(z.string()),
    behavior: z.enum(['allow', 'deny', 'ask']).optional(),
    how: z.enum(['add', 'replace', 'remove']).optional(),
  }),
  skill: z.looseObject({
    name: z.string(),
    path: z.string(),
    text: z.string(),
    allow: z.array(z.string()),
  }),
  once: z.looseObject({ key: z.string() }),
  compacted: z.looseObject({
    trigger: z.enum(['manual', 'auto']),
    preTokens: count,
    summary: z.string(),
    messages: blocks,
    how: z.enum(['model', 'shortened']),
    usage: usage.optional(),
    model: optionalText,
  }),
  spent: z.looseObject({
    about: z.string(),
    model: z.string(),
    usage,
    child: optionalText,
    team: optionalText,
    mail: place,
  }),
  rewound: z.looseObject({ to: z.string().nullable(), words: z.string().optional() }),
  hook: z.looseObject({ run: z.looseObject({ id: z.string(), event: z.string() }) }),
  checkpoint: z.looseObject({ id: z.string(), call: z.string() }),
  background: z.looseObject({
    id: z.string(),
    kind: z.enum(['command', 'agent']),
    label: z.string(),
    status: z.string(),
    output: z.string(),
  }),
  ended: z.looseObject({ run: z.string(), status: z.enum(['done', 'failed', 'stopped']) }),
  note: z.looseObject({ level: z.enum(['info', 'warn', 'error']), text: z.string() }),
  closed: z.looseObject({ reason: z.string() }),
} as const;

/** What every line of ours carries. */
export const line = z.looseObject({
  type: z.string(),
  uuid: z.string(),
  parentUuid: z.string().nullable(),
  timestamp: z.string(),
});
