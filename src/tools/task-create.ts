import * as z from 'zod';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import { answer, factsOf, failure, type TaskTools, whyNot } from './task-answer.ts';

/** TaskCreateTool (spec 4.3). A TaskCreated hook may forbid the task; then it never exists. */
export const taskCreateTool = ({ tasks, events }: TaskTools): Tool =>
  defineTool({
    name: 'TaskCreateTool',
    description:
      'Adds a task to the list you share with your agents and team, and answers its id. Use it for work of several steps: one task a step, before you begin. The list survives compaction and restarts.',
    input: z.object({
      subject: z.string().trim().min(1).max(500).describe('Brief title, as an order: "Fix the login test"'),
      description: z.string().describe('What needs to be done, for somebody who knows nothing else'),
      activeForm: z
        .string()
        .max(500)
        .optional()
        .describe('Shown while it is in progress: "Fixing the login test"'),
      metadata: z.record(z.string(), z.unknown()).optional().describe('Any further keys and values'),
    }),
    renamed: { content: 'subject', title: 'subject', active_form: 'activeForm' },
    call: (draft) => ({
      input: draft,
      subject: draft.subject,
      readOnly: false,
      parallel: false,
      async run({ session }) {
        const { taskList: list } = session;
        let id: string | undefined;
        if (events.awaited('TaskCreated', session.id)) {
          const taken = await tasks.reserve(list);
          if (typeof taken !== 'string') return failure(taken.failed);
          id = taken;
          const { forbidden } = await events.created(factsOf({ ...draft, id }, session), session.id);
          if (forbidden !== undefined)
            return failure(`A hook refused this task, so it was not created: ${forbidden}`);
        }
        const task = await tasks.create(list, draft, id);
        if ('refused' in task || 'failed' in task) return failure(whyNot(task) ?? '');
        return answer(
          { task: { id: task.id, subject: task.subject } },
          `#${task.id}`,
          `Task ${task.id}: ${task.subject}`,
        );
      },
    }),
  });
