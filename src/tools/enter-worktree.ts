import * as z from 'zod';
import type { Tool } from '../contract/tool.ts';
import type { WorktreeDoor } from '../contract/worktree.ts';
import { defineTool } from './define.ts';

/** EnterWorktreeTool (spec 3.2): the session goes on in a git worktree of its own. */
export const enterWorktreeTool = (door: WorktreeDoor): Tool =>
  defineTool({
    name: 'EnterWorktreeTool',
    description:
      'Makes a git worktree (a second checkout with a branch of its own) and works in it from now on: the working directory moves there, and the main checkout stays as it is. Use it when the user asks for a worktree, or for work that must not disturb the main checkout. Uncommitted changes of the main checkout are not in it. A name that exists is opened again; "path" enters a worktree that lies elsewhere. Leave it with ExitWorktreeTool.',
    input: z.object({
      name: z
        .string()
        .optional()
        .describe('Letters, digits, dots, dashes, underscores; a readable one is chosen if left out'),
      path: z.string().optional().describe('An existing worktree to enter; not together with name'),
    }),
    call: ({ name, path }, state) => {
      if (name !== undefined && path !== undefined)
        return {
          invalid:
            'EnterWorktreeTool takes "name" for a new worktree or "path" for an existing one, not both.',
        };
      if (state.worktree)
        return {
          invalid: `This session is in the worktree ${state.worktree.path} already. Leave it with ExitWorktreeTool first, or go on in it.`,
        };
      return {
        input: { ...(name === undefined ? {} : { name }), ...(path === undefined ? {} : { path }) },
        subject: name ?? path ?? '',
        readOnly: false,
        parallel: false,
        async run(ctx) {
          const entered = await door.enter(
            ctx.session,
            { ...(name === undefined ? {} : { name }), ...(path === undefined ? {} : { path }) },
            ctx.ask,
          );
          if ('refused' in entered) return { status: 'error', text: entered.refused };
          const { worktree, ref } = entered;
          const what = worktree.reopened
            ? 'The worktree was there and is open again'
            : 'The worktree is made';
          const response = {
            worktreePath: worktree.path,
            ...(worktree.branch ? { worktreeBranch: worktree.branch } : {}),
            message: [
              `${what}; you work in ${worktree.path} now${worktree.branch ? `, on branch ${worktree.branch}` : ''}. Use paths below it: the main checkout is left alone.`,
              ...worktree.notes,
            ].join(' '),
          };
          return {
            status: 'ok',
            text: JSON.stringify(response),
            display: { kind: 'text', summary: worktree.path, body: response.message },
            response,
            effects: [{ type: 'worktree', worktree: ref, cwd: worktree.path, checkout: worktree.path }],
          };
        },
      };
    },
  });
