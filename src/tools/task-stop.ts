import * as z from 'zod';
import type { BackgroundWork } from '../contract/background.ts';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import { unknownTask } from './unknown-task.ts';

const description =
  'Stops a command or agent that runs in the background. A stopped agent goes on when it gets a message; a command does not.';

export const taskStopTool = (work: BackgroundWork): Tool =>
  defineTool({
    name: 'TaskStopTool',
    description,
    input: z.object({ task_id: z.string().min(1).describe('Its id, or the name of an agent') }),
    renamed: { shell_id: 'task_id', bash_id: 'task_id', agent_id: 'task_id', id: 'task_id' },
    call: ({ task_id }) => ({
      input: { task_id },
      subject: task_id,
      readOnly: false,
      parallel: false,
      run: async () => {
        const task = work.get(task_id);
        if (!task) return { status: 'error', text: unknownTask(work, task_id) };
        const answer = await work.stop(task_id);
        if ('refused' in answer) return { status: 'error', text: answer.refused };
        const response = {
          message: `Stopped ${task.label}`,
          task_id: task.id,
          task_type: task.kind,
          ...(task.kind === 'command' ? { command: task.label } : {}),
        };
        return {
          status: 'ok',
          text: JSON.stringify(response),
          display: { kind: 'text', summary: `stopped ${task.id}`, body: task.label },
          response,
        };
      },
    }),
  });
