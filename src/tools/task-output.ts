import * as z from 'zod';
import type { BackgroundItem, BackgroundWork } from '../contract/background.ts';
import type { Tool, ToolOutcome } from '../contract/tool.ts';
import { errorText } from '../lib/error-text.ts';
import { defineTool } from './define.ts';
import { readWhole } from './disk-file.ts';
import { realPath } from './place.ts';
import { isMissing } from './target.ts';
import { unknownTask } from './unknown-task.ts';

const DEFAULT_WAIT_MS = 30_000;
const MOST_WAIT_MS = 600_000;
const HALF_CHARS = 15_000;

const description =
  'Shows the output of a background command or agent, by default once it has ended or `timeout` has passed.';

export const taskOutputTool = (work: BackgroundWork): Tool =>
  defineTool({
    name: 'TaskOutputTool',
    description,
    input: z.object({
      task_id: z.string().min(1),
      block: z.boolean().default(true).describe('Wait for its end'),
      timeout: z.number().min(0).default(DEFAULT_WAIT_MS).describe('Longest wait in milliseconds'),
    }),
    renamed: {
      shell_id: 'task_id',
      bash_id: 'task_id',
      agent_id: 'task_id',
      agentId: 'task_id',
      wait_up_to: 'timeout',
    },
    call: ({ task_id, block, timeout }) => ({
      input: { task_id, block, timeout },
      subject: task_id,
      readOnly: true,
      parallel: true,
      run: async (ctx) => {
        if (!work.get(task_id)) return { status: 'error', text: unknownTask(work, task_id) };
        if (block) await work.wait(task_id, Math.min(timeout, MOST_WAIT_MS), ctx.signal);
        const task = work.get(task_id);
        return task ? outcome(task) : { status: 'error', text: unknownTask(work, task_id) };
      },
    }),
  });

const outcome = async (task: BackgroundItem): Promise<ToolOutcome> => {
  const output = task.output ?? (await outputOf(task.outputFile));
  const response = {
    task_id: task.id,
    task_type: task.kind,
    status: task.status,
    ...(task.exitCode === undefined ? {} : { exit_code: task.exitCode }),
    output,
    output_file: task.outputFile,
  };
  return {
    status: 'ok',
    text: JSON.stringify(response),
    display: { kind: 'text', summary: `${task.id} ${task.status}`, body: output },
    response,
  };
};

const outputOf = async (path: string): Promise<string> => {
  try {
    const { bytes } = await readWhole(realPath(path));
    return capped(bytes.toString('utf8'));
  } catch (error) {
    return isMissing(error) ? '' : `[The output file could not be read: ${errorText(error)}]`;
  }
};

const capped = (text: string): string =>
  text.length <= 2 * HALF_CHARS
    ? text
    : `${text.slice(0, HALF_CHARS)}\n\n[${text.length - 2 * HALF_CHARS} characters are left out here]\n\n${text.slice(-HALF_CHARS)}`.toWellFormed();
