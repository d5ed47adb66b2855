/** A task's file: what is read back is checked; unknown fields of newer versions stay. */
import * as z from 'zod';
import { type Task, taskStatuses } from '../contract/task.ts';

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

/** A file that is no readable task: one sentence. */
export interface Damaged {
  readonly damaged: string;
}

export const isTaskId = (id: string): boolean => /^[1-9]\d{0,14}$/.test(id);

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
  const found = schema.safeParse(raw);
  if (!found.success) {
    const [issue] = found.error.issues;
    return because(`${issue?.path.join('.') || 'its content'}: ${issue?.message ?? 'unknown'}`);
  }
  if (found.data.id !== id) return because(`it says id "${found.data.id}"`);
  // The schema checked every field of Task; session ids are strings at this border.
  return found.data as unknown as Task;
};

export const taskText = (task: Task): string => `${JSON.stringify(task, undefined, 2)}\n`;
