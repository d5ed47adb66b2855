import * as z from 'zod';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import { answer, failure, lineOf, type TaskTools, whyNot } from './task-answer.ts';

/** TaskGetTool (spec 4.3, ruling 37): every field. */
export const taskGetTool = ({ tasks }: Pick<TaskTools, 'tasks'>): Tool =>
  defineTool({
    name: 'TaskGetTool',
    description:
      'Reads one task with everything about it: description, status, owner, what it waits for, metadata.',
    input: z.object({ taskId: z.string().min(1) }),
    renamed: { id: 'taskId', task_id: 'taskId' },
    call: ({ taskId }) => ({
      input: { taskId },
      subject: taskId,
      readOnly: true,
      parallel: true,
      async run({ session }) {
        const task = await tasks.get(session.taskList, taskId);
        if ('refused' in task || 'failed' in task) return failure(whyNot(task) ?? '');
        const {
          id,
          subject,
          description,
          activeForm,
          status,
          owner,
          blocks,
          blockedBy,
          metadata = {},
          note,
        } = task;
        return answer(
          {
            task: {
              id,
              subject,
              description,
              ...(activeForm === undefined ? {} : { activeForm }),
              status,
              ...(owner === undefined ? {} : { owner }),
              blocks,
              blockedBy,
              metadata,
              ...(note === undefined ? {} : { note }),
            },
          },
          lineOf(task),
          `${lineOf(task)}\n\n${description}`,
        );
      },
    }),
  });
