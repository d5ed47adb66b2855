import * as z from 'zod';
import { actorOf, settableStatuses } from '../contract/task.ts';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import { answer, factsOf, failure, type TaskTools, whyNot } from './task-answer.ts';

const ids = z.array(z.string()).optional();

/** TaskUpdateTool (spec 4.3, rulings 35 to 37). A TaskCompleted hook may forbid completing; a refusal changes nothing. */
export const taskUpdateTool = ({ tasks, events }: TaskTools): Tool =>
  defineTool({
    name: 'TaskUpdateTool',
    description:
      'Changes a task. Set status to in_progress when you begin (you become its owner unless you name one) and to completed when it is really done; deleted removes it. A task that blockers hold up cannot be begun, and one that another agent works on cannot be taken: the error says who holds it, and nothing is changed.',
    input: z.object({
      taskId: z.string().min(1),
      status: z.enum(settableStatuses).optional(),
      subject: z.string().trim().min(1).max(500).optional(),
      description: z.string().optional(),
      activeForm: z.string().max(500).optional(),
      owner: z.string().max(200).optional().describe('Name of the owning agent; "" for none'),
      addBlocks: ids.describe('Ids of tasks that cannot begin before this one is done'),
      addBlockedBy: ids.describe('Ids of tasks that must be done before this one'),
      metadata: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('Merged in; a key set to null is deleted'),
      force: z.boolean().optional().describe('As the lead: take it over from its owner'),
    }),
    renamed: {
      id: 'taskId',
      task_id: 'taskId',
      active_form: 'activeForm',
      add_blocks: 'addBlocks',
      add_blocked_by: 'addBlockedBy',
      blocks: 'addBlocks',
      blockedBy: 'addBlockedBy',
    },
    call: (input) => {
      const { taskId, force, ...patch } = input;
      return {
        input,
        subject: [taskId, patch.status ?? patch.owner].filter(Boolean).join(' '),
        readOnly: false,
        parallel: false,
        async run({ session }) {
          const list = session.taskList;
          const by = actorOf(session);
          if (patch.status === 'completed' && events.awaited('TaskCompleted', session.id)) {
            const task = await tasks.get(list, taskId);
            if ('refused' in task || 'failed' in task) return failure(whyNot(task) ?? '');
            if (task.status !== 'completed') {
              const { forbidden } = await events.completed(factsOf(task, session), session.id);
              if (forbidden !== undefined)
                return failure(
                  `A hook does not accept task ${taskId} as completed, so nothing was changed: ${forbidden}`,
                );
            }
          }
          const done = await tasks.update(list, taskId, patch, by, { force });
          if ('refused' in done || 'failed' in done) return failure(whyNot(done) ?? '');
          const { task, fields, change } = done;
          return answer(
            { success: true, taskId, updatedFields: fields, ...(change ? { statusChange: change } : {}) },
            change ? task.subject : `${task.subject}: ${fields.join(', ') || 'as it was'}`,
            `${task.id} ${task.subject}: ${fields.join(', ') || 'nothing changed'}`,
          );
        },
      };
    },
  });
