import * as z from 'zod';
import { LEAD, memberNameOf } from '../contract/team.ts';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import type { TeamTools } from './deliver.ts';
import { answer, failure, whyNot } from './task-answer.ts';

/** TeamDeleteTool (spec 4.5, ruling 38): file, mailboxes and task list go; transcripts and worktrees stay. */
export const teamDeleteTool = ({ teams, life }: Pick<TeamTools, 'teams' | 'life'>): Tool =>
  defineTool({
    name: 'TeamDeleteTool',
    description:
      'Deletes the team you lead: its file, its mailboxes and its task list. Your earlier task list is back afterwards. It is refused while teammates work; ask them to shut down first, or use force, which cancels what is in progress.',
    input: z.object({
      force: z
        .boolean()
        .optional()
        .describe('Also while teammates work: their tasks are cancelled, they are ended'),
    }),
    call: ({ force = false }) => ({
      input: force ? { force } : {},
      subject: force ? 'force' : '',
      readOnly: false,
      parallel: false,
      async run({ session }) {
        if (session.parent !== undefined || (session.team !== undefined && memberNameOf(session) !== LEAD))
          return failure('Only the lead can delete a team; ask your lead.');
        const team = await teams.ledBy(session.id);
        if (!team) return failure('You lead no team, so there is nothing to delete.');
        const by = { session: session.id, force };
        const held = teams.held(team, by);
        if (held !== undefined) return failure(held);
        // Members end first: one that still speaks would bring folders back.
        await life.dissolve(team);
        const dropped = await teams.drop(team.key, by);
        if ('refused' in dropped || 'failed' in dropped) return failure(whyNot(dropped) ?? '');
        const to = { team: null, taskList: team.leadTaskList ?? session.root };
        await life.follow(session.id, to);
        const done = answer(
          { success: true, message: `The team "${team.name}" is deleted.`, team_name: team.name },
          `Team ${team.name} deleted`,
        );
        return { ...done, effects: [{ type: 'team', ...to }] };
      },
    }),
  });
