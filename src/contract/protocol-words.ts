import type { Protocol } from './team.ts';

/** A structured message as a person reads it, after the name of its sender; undefined for a text that is none. */
export const protocolWords = (text: string): string | undefined => {
  const letter = parsed(text);
  if (letter === undefined) return undefined;
  switch (letter.type) {
    case 'shutdown_request':
      return `asks to shut down${because(letter.reason)}`;
    case 'shutdown_approved':
      return 'agrees to shut down';
    case 'shutdown_rejected':
      return `does not shut down${because(letter.reason)}`;
    case 'teammate_terminated':
      return letter.message.replace(`${letter.from} `, '').replace(/\.$/, '');
    case 'plan_approval_request':
      return `asks for approval of its plan${because(letter.planFilePath)}`;
    case 'plan_approval_response':
      return `${letter.approved ? 'approves' : 'does not approve'} the plan${because(letter.feedback)}`;
    case 'idle_notification':
      return `is idle${because(letter.failureReason ?? (letter.idleReason === 'available' ? undefined : letter.idleReason))}`;
    default:
      return undefined;
  }
};

/** The same for who sends it, after the name of the recipient. */
export const sentWords = (letter: Protocol): string => {
  switch (letter.type) {
    case 'shutdown_request':
      return `asked to shut down${because(letter.reason)}`;
    case 'shutdown_approved':
      return 'shutdown agreed to';
    case 'shutdown_rejected':
      return `shutdown refused${because(letter.reason)}`;
    case 'plan_approval_request':
      return 'plan sent for approval';
    case 'plan_approval_response':
      return `plan ${letter.approved ? 'approved' : 'not approved'}${because(letter.feedback)}`;
    default:
      return letter.type.replaceAll('_', ' ');
  }
};

const because = (why: string | undefined): string => (why ? `: ${why}` : '');

/** Only what the program itself wrote and marked comes here: its fields need no second look. */
const parsed = (text: string): Protocol | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as Protocol) : undefined;
  } catch {
    return undefined;
  }
};
