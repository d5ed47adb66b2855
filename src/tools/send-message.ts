import * as z from 'zod';
import type { SessionState } from '../contract/state.ts';
import { problemOf, type Team, type TeamMember } from '../contract/team.ts';
import type { Tool, ToolOutcome } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import { deliver, type TeamTools } from './deliver.ts';
import { type Around, recipientOf, senderOf } from './recipients.ts';
import { deliverProtocol } from './send-protocol.ts';
import { answer, failure } from './task-answer.ts';
import { readMessage, readSummary } from './team-protocol.ts';

const description =
  'Sends a message to a teammate by name, or to "*" for all teammates. An agent that was stopped or has finished goes on when it gets one. It is read at the recipient\'s next tool round; you need not wait for an answer, it comes by itself. Text needs a summary of 5 to 10 words. What you write to nobody but yourself the others do not see: this tool is the only way. Structured messages are objects: {"type": "shutdown_request", "reason"?} asks a teammate to end; it answers with {"type": "shutdown_response", "request_id", "approve", "reason"?}; the lead answers a plan with {"type": "plan_approval_response", "request_id", "approve", "feedback"?}.';

/** A letter that fills the reader's context is of no use to it. */
const MOST_CHARS = 200_000;

/** SendMessageTool (spec 4.4, rulings 32, 38, 40). Nothing is dropped silently: an error means that nothing was sent. */
export const sendMessageTool = (deps: TeamTools): Tool =>
  defineTool({
    name: 'SendMessageTool',
    description,
    input: z.object({
      to: z.string().min(1).describe('A teammate\'s name, or "*"'),
      message: z
        .union([z.string(), z.looseObject({ type: z.string() })])
        .describe('Text, or a structured message'),
      summary: z.string().optional().describe('5 to 10 words; required with text'),
    }),
    renamed: { recipient: 'to', target: 'to', target_agent_id: 'to', content: 'message', text: 'message' },
    call: (input) => {
      const { to, message } = input;
      const read = readMessage(message);
      if ('wrong' in read) return { invalid: read.wrong };
      if ('text' in read && read.text.trim() === '')
        return { invalid: 'The message is empty; nothing was sent.' };
      if ('text' in read && read.text.length > MOST_CHARS)
        return {
          invalid: `The message has ${read.text.length} characters; ${MOST_CHARS} is the most, and nothing was sent. Put it into a file and send the path.`,
        };
      const summary = 'text' in read ? readSummary(input.summary) : { summary: undefined };
      if ('wrong' in summary) return { invalid: summary.wrong };
      return {
        input,
        subject: to,
        readOnly: false,
        parallel: false,
        async run({ session }) {
          const around = await aroundOf(deps, session);
          if ('wrong' in around) return failure(around.wrong);
          const found = recipientOf(to, around);
          if ('wrong' in found) return failure(found.wrong);
          if ('protocol' in read)
            return found.kind === 'member'
              ? await deliverProtocol(deps, around, found, read.protocol)
              : failure(
                  found.kind === 'all'
                    ? 'A structured message goes to one teammate at a time; nothing was sent.'
                    : 'Structured messages are for members of a team; send text.',
                );
          const from = senderOf(around);
          const words = { from, text: read.text, summary: summary.summary };
          const notes = 'note' in summary && summary.note ? [summary.note] : [];
          if (found.kind === 'member' || found.kind === 'all')
            return await toMembers(deps, found.team, found.kind === 'all' ? found.members : [found.member], {
              ...words,
              to,
              notes,
            });
          return await toAgent(deps, session, found.kind === 'agent' ? found.agent.id : undefined, {
            ...words,
            to,
            notes,
          });
        },
      };
    },
  });

const aroundOf = async (
  { teams, agents }: TeamTools,
  state: SessionState,
): Promise<Around | { readonly wrong: string }> => {
  const team = state.team === undefined ? undefined : await teams.get(state.team);
  if (team && 'failed' in team) return { wrong: `Nothing was sent. ${team.failed}` };
  const damaged = team && 'refused' in team && problemOf((await teams.list()).problems, state.team ?? '');
  if (damaged) return { wrong: `Nothing was sent. ${damaged}` };
  return {
    state,
    team: team === undefined || 'refused' in team ? undefined : team,
    agents: agents().list(),
  };
};

interface Words {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly summary?: string;
  readonly notes: readonly string[];
}

const toMembers = async (
  deps: TeamTools,
  team: Team,
  members: readonly TeamMember[],
  words: Words,
): Promise<ToolOutcome> => {
  const sent: { readonly name: string; readonly id: string }[] = [];
  const wrong: string[] = [];
  const notes = [...words.notes];
  for (const to of members) {
    const { from, text, summary } = words;
    const made = await deliver(deps, { team, to, from, text, summary });
    if ('wrong' in made) wrong.push(made.wrong);
    else {
      sent.push({ name: to.name, id: made.id });
      if (made.note) notes.push(made.note);
    }
  }
  if (sent.length === 0) return failure(`Nothing was sent. ${wrong.join(' ')}`);
  const names = sent.map(({ name }) => name);
  return sentAnswer(words, [...wrong, ...notes], {
    message: `Message stored for ${names.join(', ')}.`,
    more: { recipients: names, message_ids: sent.map(({ id }) => id) },
  });
};

const toAgent = async (
  { agents, mailbox, newId }: TeamTools,
  session: SessionState,
  id: string | undefined,
  words: Words,
): Promise<ToolOutcome> => {
  if (id === undefined) {
    const letter = newId();
    const { from, text, summary } = words;
    await mailbox.send(session.parent ?? session.root, {
      id: letter,
      text,
      origin: { kind: 'mail', from, id: letter, ...(summary ? { summary } : {}) },
    });
  } else {
    const handle = await agents().resume(id, words.text, session);
    if ('refused' in handle) return failure(`Nothing was sent. ${handle.refused}`);
  }
  return sentAnswer(words, words.notes, { message: `Message stored for ${words.to}.`, more: {} });
};

const sentAnswer = (
  { from, to, summary, text }: Words,
  notes: readonly string[],
  { message, more }: { readonly message: string; readonly more: object },
): ToolOutcome =>
  answer(
    {
      success: true,
      message: [message, ...notes].join(' '),
      routing: { sender: from, target: to, ...(summary ? { summary } : {}), ...more },
    },
    summary ?? '',
    text,
  );
