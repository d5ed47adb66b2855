import { isAbsolute, resolve } from 'node:path';
import * as z from 'zod';
import type { Mode } from '../contract/mode.ts';
import { planDisplay, planTitle } from '../contract/plan.ts';
import type { SessionState } from '../contract/state.ts';
import type { Tool, ToolContext, ToolOutcome } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import type { PlanApprovals } from './plan-approval.ts';

/** The plan on disk: a markdown file of ours. */
export interface PlanFiles {
  path(state: SessionState): string;
  read(path: string): Promise<string | undefined>;
  write(path: string, text: string): Promise<void>;
}

/** Paths under a `## Files` heading, absolute; undefined when the plan names none (ruling 5). */
const filesOf = (plan: string, cwd: string): readonly string[] | undefined => {
  const section = /^#{1,3}\s+Files\b[^\n]*\n([\s\S]*?)(?=^#{1,3}\s|(?![\s\S]))/im.exec(plan)?.[1];
  if (section === undefined) return undefined;
  const names = section.split('\n').flatMap((line) => {
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(.+)$/.exec(line)?.[1];
    const name = item === undefined ? undefined : (/`([^`]+)`/.exec(item)?.[1] ?? /^(\S+)/.exec(item)?.[1]);
    return name ? [name.replace(/[:,;]$/, '')] : [];
  });
  return names.length === 0 ? undefined : names.map((name) => (isAbsolute(name) ? name : resolve(cwd, name)));
};

/** Where the session goes when a plan is approved: what the person chose, else the mode before, else acceptEdits. */
const modeAfter = (ctx: ToolContext): Mode => {
  if (ctx.answer?.kind === 'plan' && ctx.answer.decision !== 'keep') return ctx.answer.decision;
  return ctx.session.modeBeforePlan ?? 'acceptEdits';
};

/** ExitPlanModeTool (spec 3.2): puts the plan before the user; on a yes the work begins in the same run. */
export const exitPlanModeTool = (plans: PlanFiles, approvals?: PlanApprovals): Tool =>
  defineTool({
    name: 'ExitPlanModeTool',
    description:
      'Only in plan mode: puts your plan before the user and, if they approve, leaves plan mode so that you begin the work at once. Give the plan as Markdown in "plan", or write it to the plan file first and leave "plan" out. Say what you will do, in steps, how you will check it, and list every file you mean to change under a "## Files" heading. If the user keeps planning, revise by what they say and call it again.',
    input: z.object({
      plan: z.string().optional().describe('The whole plan, Markdown; the plan file if left out'),
    }),
    call: ({ plan: given }, state) => {
      if (state.mode !== 'plan')
        return {
          invalid:
            'ExitPlanModeTool works only in plan mode, and plan mode is off. Go on with the work, or call EnterPlanModeTool first.',
        };
      const path = state.planFile ?? plans.path(state);
      const text = async (): Promise<string> => {
        if (given === undefined || given.trim() === '') return (await plans.read(path)) ?? '';
        await plans.write(path, given);
        return given;
      };
      return {
        input: { ...(given === undefined ? {} : { plan: given }), planFilePath: path },
        subject: planTitle(given ?? '') ?? path,
        readOnly: true,
        parallel: false,
        ...(approvals?.byLead(state)
          ? {}
          : {
              question: async ({ call }: ToolContext) => ({
                kind: 'plan' as const,
                plan: await text(),
                path,
                call,
              }),
            }),
        async run(ctx) {
          if (approvals?.byLead(state)) return await toLead(approvals, ctx, await text(), path);
          const edited =
            ctx.answer?.kind === 'plan' && ctx.answer.decision !== 'keep' ? ctx.answer.plan : undefined;
          if (edited !== undefined) await plans.write(path, edited);
          const plan = edited ?? (await text());
          if (plan.trim() === '')
            return { status: 'error', text: `There is no plan: write it to ${path} or give it as "plan".` };
          const mode = modeAfter(ctx);
          const response = {
            plan,
            isAgent: ctx.session.parent !== undefined,
            filePath: path,
            planWasEdited: edited !== undefined,
          };
          return {
            status: 'ok',
            text: JSON.stringify({
              ...response,
              message: `The plan is approved${edited === undefined ? '' : ', as edited by the user'}. The mode is now ${mode}. Begin the work.`,
            }),
            display: planDisplay(plan, 'Plan approved'),
            response,
            effects: [
              {
                type: 'mode',
                mode,
                planFile: path,
                planScope: filesOf(plan, ctx.session.cwd) ?? null,
              },
            ],
          };
        },
      };
    },
  });

/** A teammate's plan goes to its lead; plan mode stays on until the answer comes as mail. */
const toLead = async (
  approvals: PlanApprovals,
  { session }: ToolContext,
  plan: string,
  path: string,
): Promise<ToolOutcome> => {
  if (plan.trim() === '')
    return { status: 'error', text: `There is no plan: write it to ${path} or give it as "plan".` };
  const asked = await approvals.ask(session, plan, path);
  if ('wrong' in asked) return { status: 'error', text: asked.wrong };
  const response = {
    plan,
    isAgent: true,
    filePath: path,
    awaitingLeaderApproval: true,
    requestId: asked.requestId,
    message: 'The plan is with the lead. Plan mode stays on: end your turn and wait for the answer.',
  };
  return {
    status: 'ok',
    text: JSON.stringify(response),
    display: planDisplay(plan, 'Plan sent to the lead'),
    response,
    effects: [
      {
        type: 'mode',
        mode: 'plan',
        planFile: path,
        planScope: filesOf(plan, session.cwd) ?? null,
        planRequest: asked.requestId,
      },
    ],
  };
};
