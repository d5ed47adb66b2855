/** A task's file: what is read back is checked; unknown fields of newer versions stay. */
import * as z from 'zod';
import { type Task, taskStatuses } from '../contract/task.ts';
import { certain } from '../lib/certain.ts';

/** The newest layout this program knows. */
const FORMAT = 1;

const leaseSchema = z.looseObject({
  owner: z.string(),
  session: z.string().optional(),
  assigned: z.boolean().optional(),
  pid: z.number(),
  start: z.string(),
  boot: z.string(),
  host: z.string(),
  since: z.string(),
  renewedAt: z.string(),
});
const ids = z.array(z.string()).default([]);
const text = z.string().optional();
const schema = z.looseObject({
  id: z.string(),
  subject: z.string(),
  description: z.string().default(''),
  activeForm: text,
  status: z.enum(taskStatuses),
  owner: text,
  blocks: ids,
  blockedBy: ids,
  metadata: z.record(z.string(), z.unknown()).optional(),
  version: z.number().int().nonnegative().default(0),
  lease: leaseSchema.optional(),
  note: text,
  createdAt: text,
  updatedAt: text,
  startedAt: text,
  endedAt: text,
});

/** Of 10,000 tasks most are as this program wrote them. */
const isCertainlyTask = certain(schema);

/** A file that is no readable task: one sentence. */
export interface Damaged {
  readonly damaged: string;
}

export const isTaskId = (id: string): boolean => /^[1-9]\d{0,14}$/.test(id);

/** The task, or what is wrong with it. */
const checked = (raw: unknown): Task | string => {
  const found = isCertainlyTask(raw) ? { success: true as const, data: raw } : schema.safeParse(raw);
  // The schema checked every field of Task; session ids are strings at this border.
  if (found.success) return found.data as unknown as Task;
  const [issue] = found.error.issues;
  return `${issue?.path.join('.') || 'its content'}: ${issue?.message ?? 'unknown'}`;
};

/** `path` names the file in the sentence. */
export const parseTask = (body: string, id: string, path: string): Task | Damaged => {
  const because = (why: string): Damaged => ({
    damaged: `${path} is not a readable task: ${why}. Correct or remove the file; the other tasks are unharmed.`,
  });
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    return because(body.trim() === '' ? 'it is empty' : 'it is not whole JSON');
  }
  const format = typeof raw === 'object' && raw !== null && 'format' in raw ? raw.format : FORMAT;
  if (typeof format === 'number' && format > FORMAT)
    return because(`it was written by a newer version of Coppice (format ${format})`);
  const task = checked(raw);
  if (typeof task === 'string') return because(task);
  return task.id === id ? task : because(`it says id "${task.id}"`);
};

export const taskText = (task: Task): string => `${JSON.stringify(task, undefined, 2)}\n`;
