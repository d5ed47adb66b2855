import * as z from 'zod';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import { answer, failure, lineOf, type TaskTools, whyNot } from './task-answer.ts';

/** TaskListTool (spec 4.3, ruling 37): all tasks of the list, by id. */
export const taskListTool = ({ tasks }: Pick<TaskTools, 'tasks'>): Tool =>
  defineTool({
    name: 'TaskListTool',
    description:
      'Lists all tasks with status, owner and what blocks what. Look at it before you pick the next task: the one with the lowest id that is pending, has no owner and waits for nothing.',
    input: z.object({}),
    call: () => ({
      input: {},
      subject: '',
      readOnly: true,
      parallel: true,
      async run({ session }) {
        const listing = await tasks.list(session.taskList);
        if ('failed' in listing) return failure(whyNot(listing) ?? '');
        const shown = listing.tasks.map(({ id, subject, status, owner, blocks, blockedBy, note }) => ({
          id,
          subject,
          status,
          ...(owner === undefined ? {} : { owner }),
          blocks,
          blockedBy,
          ...(note === undefined ? {} : { note }),
        }));
        const { problems } = listing;
        return answer(
          { tasks: shown, ...(problems.length > 0 ? { problems } : {}) },
          `${shown.length} ${shown.length === 1 ? 'task' : 'tasks'}`,
          [...listing.tasks.map(lineOf), ...problems].join('\n') || 'No tasks.',
        );
      },
    }),
  });
