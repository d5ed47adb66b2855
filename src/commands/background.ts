import type { SlashCommand } from '../contract/command.ts';
import { refused, text } from './answer.ts';

/** `/background`: what Ctrl+B does, where a multiplexer keeps that key for itself. */
export const backgroundCommand: SlashCommand = {
  name: 'background',
  description: 'Send the running command or agent to the background',
  source: 'builtin',
  instant: true,
  async run(_args, { session }) {
    if (!session.busy()) return refused('Nothing runs that could go to the background.');
    session.background();
    return text('What can go to the background is on its way there.');
  },
};

/** `/subtask TASK`: an agent of its own works on it while the conversation goes on. */
export const subtaskCommand: SlashCommand = {
  name: 'subtask',
  description: 'Give a task to an agent in the background',
  argumentHint: '<task>',
  source: 'builtin',
  async run(args) {
    const task = args.trim();
    if (task === '') return refused('Say what to do: /subtask find all callers of parse()');
    return {
      kind: 'prompt',
      text: `Start one agent in the background for the following task (AgentTool with run_in_background), with everything it needs to know in its prompt, and say in a sentence that it runs. Do not do the task yourself.\n\n${task}`,
      display: `/subtask ${task}`,
    };
  },
};
