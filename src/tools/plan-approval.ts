import type { SessionState } from '../contract/state.ts';
import { LEAD, memberNameOf } from '../contract/team.ts';
import { deliver, type TeamTools } from './deliver.ts';

/** Who approves a plan: the person, or for a teammate its lead. */
export interface PlanApprovals {
  /** True for teammates. */
  byLead(state: SessionState): boolean;
  /** Sends the plan; the answer comes as mail, and the teammate stays in plan mode until then. */
  ask(
    state: SessionState,
    plan: string,
    path: string,
  ): Promise<{ readonly requestId: string } | { readonly wrong: string }>;
}

export const planApprovals = (deps: TeamTools): PlanApprovals => ({
  byLead: (state) => {
    const name = state.team === undefined ? undefined : memberNameOf(state);
    return name !== undefined && name !== LEAD;
  },
  async ask(state, plan, path) {
    const team = await deps.teams.get(state.team ?? '');
    if ('refused' in team) return { wrong: team.refused };
    if ('failed' in team) return { wrong: team.failed };
    const lead = team.members.find((one) => one.name === LEAD);
    const from = memberNameOf(state);
    if (!lead || !from) return { wrong: `The team "${team.name}" has no lead now; the plan was not sent.` };
    const requestId = `plan-${deps.now().getTime()}@${from}`;
    const sent = await deliver(deps, {
      team,
      to: lead,
      from,
      text: JSON.stringify({
        type: 'plan_approval_request',
        requestId,
        from,
        planFilePath: path,
        planContent: plan,
        timestamp: deps.now().toISOString(),
      }),
      protocol: 'plan_approval_request',
      requestId,
    });
    return 'wrong' in sent ? sent : { requestId };
  },
});
