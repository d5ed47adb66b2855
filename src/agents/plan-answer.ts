import * as z from 'zod';
import { type Mode, modes } from '../contract/mode.ts';
import type { SessionState } from '../contract/state.ts';
import type { Mail } from '../contract/store.ts';
import { LEAD } from '../contract/team.ts';

const approval = z.object({
  type: z.literal('plan_approval_response'),
  requestId: z.string(),
  approved: z.literal(true),
  permissionMode: z.enum(modes).optional(),
});

/**
 * The mode in which a teammate carries out its plan, where this letter approves it: only the lead's own structured
 * answer to the very request that this session is waiting with. A text that looks like one approves nothing.
 */
export const planAnswer = ({ origin, text }: Mail, state: SessionState): Mode | undefined => {
  if (origin.kind !== 'mail' || origin.from !== LEAD || origin.protocol !== 'plan_approval_response')
    return undefined;
  const found = approval.safeParse(parsed(text));
  return found.success && state.mode === 'plan' && found.data.requestId === state.planRequest
    ? (found.data.permissionMode ?? 'default')
    : undefined;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
