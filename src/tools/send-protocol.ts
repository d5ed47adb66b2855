/** What becomes of a structured message: who may send it, which request it answers, what the recipient gets. */

import { sentWords } from '../contract/protocol-words.ts';
import type { Mail } from '../contract/store.ts';
import {
  inboxOf,
  LEAD,
  type Protocol,
  type Team,
  type TeamEvent,
  type TeamMember,
} from '../contract/team.ts';
import type { ToolOutcome } from '../contract/tool.ts';
import { deliver, type TeamTools } from './deliver.ts';
import { type Around, senderOf } from './recipients.ts';
import { answer, failure } from './task-answer.ts';
import type { ProtocolInput } from './team-protocol.ts';

interface To {
  readonly team: Team;
  readonly member: TeamMember;
}

interface Wanted {
  readonly id: string;
  readonly protocol: string;
  readonly from: string;
  readonly to: string;
}

/** A request to this member that nobody answered yet; else why not. */
const openRequest = async (
  { mailbox, team, events }: Pick<TeamTools, 'mailbox'> & To & { readonly events: readonly TeamEvent[] },
  wanted: Wanted,
  answers: readonly string[],
): Promise<string | undefined> => {
  const noted = events.some(
    (event) =>
      event.protocol === wanted.protocol &&
      event.requestId === wanted.id &&
      event.from === wanted.from &&
      event.to === wanted.to,
  );
  // It can be answered before its sender has noted it in the team's log.
  if (!noted && !(await mailbox.read(inboxOf(team.key, wanted.to), 0)).some((mail) => asks(mail, wanted)))
    return `Nobody sent a ${wanted.protocol} with the id "${wanted.id.slice(0, 80)}" that you could answer to ${wanted.from}; nothing was sent.`;
  const done = events.some(
    (event) => event.requestId === wanted.id && answers.includes(String(event.protocol)),
  );
  return done ? `The ${wanted.protocol} "${wanted.id}" is answered already; nothing was sent.` : undefined;
};

const asks = ({ origin, text }: Mail, { id, protocol, from }: Wanted): boolean =>
  origin.kind === 'mail' &&
  origin.protocol === protocol &&
  origin.from === from &&
  text.includes(`"requestId":${JSON.stringify(id)}`);

export const deliverProtocol = async (
  deps: TeamTools,
  around: Around,
  { team, member }: To,
  input: ProtocolInput,
): Promise<ToolOutcome> => {
  const from = senderOf(around);
  const lead = from === LEAD;
  const timestamp = deps.now().toISOString();
  const stamp = deps.now().getTime();
  const events = await deps.teams.events(team.key);
  const send = async (
    protocol: Protocol,
    requestId: string,
    message: string,
    ends?: string,
  ): Promise<ToolOutcome> => {
    const made = await deliver(deps, {
      team,
      to: member,
      from,
      text: JSON.stringify(protocol),
      protocol: protocol.type,
      requestId,
    });
    if ('wrong' in made) return failure(`Nothing was sent. ${made.wrong}`);
    const done = answer(
      {
        success: true,
        message: [message, made.note].filter(Boolean).join(' '),
        request_id: requestId,
        routing: { sender: from, target: member.name },
      },
      sentWords(protocol),
    );
    return ends && done.status === 'ok' ? { ...done, ends } : done;
  };

  switch (input.type) {
    case 'shutdown_request': {
      if (!lead)
        return failure(
          `Only the lead can ask a teammate to shut down; ask ${LEAD} instead. Nothing was sent.`,
        );
      const requestId = `shutdown-${stamp}@${member.name}`;
      const { reason } = input;
      return await send(
        { type: 'shutdown_request', requestId, from, ...(reason ? { reason } : {}), timestamp },
        requestId,
        `Shutdown request stored for ${member.name}; the answer comes by itself.`,
      );
    }
    case 'shutdown_response': {
      if (lead || member.name !== LEAD)
        return failure(`A shutdown_response goes from a teammate to ${LEAD}; nothing was sent.`);
      const requestId = input.request_id;
      const wrong = await openRequest(
        { ...deps, team, member, events },
        { id: requestId, protocol: 'shutdown_request', from: LEAD, to: from },
        ['shutdown_approved', 'shutdown_rejected'],
      );
      if (wrong) return failure(wrong);
      if (!input.approve) {
        const reason = input.reason?.trim();
        if (!reason) return failure('A refusal needs a "reason" for the lead; nothing was sent.');
        return await send(
          { type: 'shutdown_rejected', requestId, from, reason, timestamp },
          requestId,
          'The lead is told why you go on.',
        );
      }
      const backendType = team.members.find((one) => one.name === from)?.backendType ?? 'in-process';
      const sent = await send(
        { type: 'shutdown_approved', requestId, from, backendType, timestamp },
        requestId,
        'You end now.',
        'The teammate agreed to shut down.',
      );
      if (sent.status === 'ok') await deps.life.leave(around.state.id);
      return sent;
    }
    case 'plan_approval_request': {
      if (lead || member.name !== LEAD)
        return failure(`A plan goes from a teammate to ${LEAD}; nothing was sent.`);
      const requestId = `plan-${stamp}@${from}`;
      return await send(
        {
          type: 'plan_approval_request',
          requestId,
          from,
          planFilePath: input.plan_file_path ?? around.state.planFile ?? '',
          planContent: input.plan,
          timestamp,
        },
        requestId,
        'The plan is with the lead. Stay in plan mode and wait for the answer.',
      );
    }
    case 'plan_approval_response': {
      if (!lead) return failure('Only the lead approves plans; nothing was sent.');
      const requestId = input.request_id;
      const wrong = await openRequest(
        { ...deps, team, member, events },
        { id: requestId, protocol: 'plan_approval_request', from: member.name, to: LEAD },
        ['plan_approval_response'],
      );
      if (wrong) return failure(wrong);
      const mode = around.state.mode === 'plan' ? undefined : around.state.mode;
      if (input.approve && mode === undefined)
        return failure('You are in plan mode yourself: nobody below you can leave it. Nothing was sent.');
      return await send(
        {
          type: 'plan_approval_response',
          requestId,
          approved: input.approve,
          ...(input.feedback ? { feedback: input.feedback } : {}),
          ...(input.approve && mode ? { permissionMode: mode } : {}),
          timestamp,
        },
        requestId,
        input.approve
          ? `${member.name} leaves plan mode and begins.`
          : `${member.name} stays in plan mode and revises.`,
      );
    }
  }
};
