import * as z from 'zod';
import type { SessionState } from '../contract/state.ts';
import type { Tool, ToolOutcome } from '../contract/tool.ts';
import {
  holdsText,
  type Left,
  type Survey,
  statText,
  surveyText,
  type WorktreeDoor,
} from '../contract/worktree.ts';
import { defineTool } from './define.ts';

/** ExitWorktreeTool (spec 3.2, ruling 41): back to the original directory; the worktree goes if nothing in it would be lost. */
export const exitWorktreeTool = (door: WorktreeDoor): Tool =>
  defineTool({
    name: 'ExitWorktreeTool',
    description:
      'Leaves the worktree that EnterWorktreeTool entered: the working directory goes back to where it was. A worktree that holds nothing of its own is removed with its branch. If it holds work (changed, untracked or ignored files, commits that are nowhere else, a stash), nothing happens and you get the list: commit, merge or push it, or call again with action "keep" to leave it in place, or, only if the user wants that, with discard_changes true to remove it (the work is saved to a rescue ref first).',
    input: z.object({
      action: z
        .enum(['remove', 'keep'])
        .optional()
        .describe('remove if left out; keep leaves folder and branch in place'),
      discard_changes: z.boolean().optional().describe('Remove it although it holds work; the user is asked'),
    }),
    call: ({ action = 'remove', discard_changes = false }, state) => {
      if (!state.worktree)
        return {
          invalid: 'This session is in no worktree, so there is none to leave. EnterWorktreeTool enters one.',
        };
      if (action === 'keep' && discard_changes)
        return {
          invalid:
            'action "keep" keeps everything, so discard_changes makes no sense with it. Send one of them.',
        };
      return {
        input: { action, ...(discard_changes ? { discard_changes } : {}) },
        subject: `${action} ${state.worktree.name}`,
        readOnly: false,
        parallel: false,
        preview: async () => {
          const survey = await door.survey(state);
          const body =
            'refused' in survey
              ? survey.refused
              : surveyText(survey) || 'It holds nothing that is not elsewhere.';
          return { kind: 'text', summary: `worktree ${state.worktree?.name}`, body };
        },
        run: async (ctx) => {
          const left = await door.leave(ctx.session, {
            remove: action === 'remove',
            rescue: discard_changes,
          });
          if ('refused' in left) return { status: 'error', text: left.refused };
          if ('holds' in left) return { status: 'error', text: held(left.holds) };
          return gone(ctx.session, action, left, discard_changes);
        },
      };
    },
  });

const held = (survey: Survey): string =>
  [
    `${survey.worktree.name} was not removed: it holds ${holdsText(survey)} that would be lost.`,
    surveyText(survey),
    `You are still in it, in ${survey.worktree.path}.`,
    'Commit and merge or push the work; or call ExitWorktreeTool with action: "keep" to leave the worktree in place; or, if the user wants the work gone, with discard_changes: true (it is saved to a rescue ref first).',
  ].join('\n\n');

const gone = (
  { worktree }: SessionState,
  action: 'remove' | 'keep',
  { cwd, checkout, survey, rescue }: Left,
  discarded: boolean,
): ToolOutcome => {
  const work = survey && !survey.clean ? survey : undefined;
  const says =
    action === 'keep'
      ? `The worktree stays in ${worktree?.path}${worktree?.branch ? ` on branch ${worktree.branch}` : ''}${work ? ` with ${holdsText(work)} (${statText(work.stat)})` : ''}. Nothing of it was merged.`
      : `The worktree is removed.${rescue ? ` What was in it is saved: coppice worktree rescue restore ${rescue.id} brings it back within 30 days.` : ''}`;
  const response = {
    action,
    originalCwd: cwd,
    worktreePath: worktree?.path,
    ...(worktree?.branch ? { worktreeBranch: worktree.branch } : {}),
    ...(discarded && survey
      ? {
          discardedFiles: survey.changed.length + survey.untracked.length + survey.ignored.length,
          discardedCommits: survey.commits.length,
        }
      : {}),
    ...(action === 'keep' && work ? { files: work.touched, diffStat: statText(work.stat) } : {}),
    ...(rescue ? { rescue: rescue.id } : {}),
    message: `${says} You work in ${cwd} again.`,
  };
  return {
    status: 'ok',
    text: JSON.stringify(response),
    display: {
      kind: 'text',
      summary: says,
      body: [response.message, ...(work ? [surveyText(work)] : [])].join('\n\n'),
    },
    response,
    effects: [{ type: 'worktree', worktree: null, cwd, checkout }],
  };
};
