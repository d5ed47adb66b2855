/** A team's file (conventions 5): checked when read; unknown fields stay. */
import * as z from 'zod';
import type { Team } from '../contract/team.ts';

const stamp = { pid: z.number(), start: z.string(), boot: z.string(), host: z.string() };
const text = z.string().optional();

const memberSchema = z.looseObject({
  agentId: z.string(),
  name: z.string(),
  agentType: text,
  model: text,
  prompt: text,
  color: text,
  planModeRequired: z.boolean().optional(),
  joinedAt: z.number(),
  tmuxPaneId: z.string().default('in-process'),
  cwd: z.string(),
  checkout: text,
  subscriptions: z.array(z.string()).default([]),
  backendType: z.enum(['in-process', 'process']).default('in-process'),
  isActive: z.boolean().default(true),
  session: z.string().default(''),
  state: z.enum(['working', 'idle', 'failed', 'stopped', 'ended']).default('working'),
  transcript: text,
  runs: z.looseObject(stamp).optional(),
  error: text,
  lost: z.array(z.string()).optional(),
  startedBy: text,
});

const teamSchema = z.looseObject({
  name: z.string(),
  key: z.string(),
  description: text,
  createdAt: z.number(),
  leadAgentId: z.string(),
  leadSessionId: z.string(),
  members: z.array(memberSchema),
  project: z.string().default(''),
  taskList: z.string(),
  leadTaskList: text,
  version: z.number().default(0),
  lease: z.looseObject({ ...stamp, since: z.string() }),
});

/** `key` is the folder it was found in. */
export const parseTeam = (body: string, key: string, path: string): Team | { readonly damaged: string } => {
  const because = (why: string) => ({
    damaged: `${path} is not a readable team file: ${why}. Correct it, or remove the folder.`,
  });
  let raw: unknown;
  try {
    raw = JSON.parse(body);
  } catch {
    return because(body.trim() === '' ? 'it is empty' : 'it is not whole JSON');
  }
  const found = teamSchema.safeParse(raw);
  if (!found.success) {
    const [issue] = found.error.issues;
    return because(`${issue?.path.join('.') || 'its content'}: ${issue?.message ?? 'unknown'}`);
  }
  if (found.data.key !== key) return because(`it belongs to the folder "${found.data.key}"`);
  // The schema checked every field of Team; session ids are strings at this border.
  return found.data as unknown as Team;
};

export const teamText = (team: Team): string => `${JSON.stringify(team, undefined, 2)}\n`;
