import type { BackgroundItem, BackgroundWork } from '../contract/background.ts';
import type { BackgroundCommands } from '../contract/shell.ts';

/** Background commands as the task tools see them. */
export const commandWork = (commands: BackgroundCommands): BackgroundWork => ({
  get: (id): BackgroundItem | undefined => {
    const command = commands.get(id);
    return command && { ...command, kind: 'command', label: command.command };
  },
  ids: commands.ids,
  stop: async (id) =>
    (await commands.stop(id))
      ? { stopped: id }
      : { refused: `${id} has already ended; there is nothing to stop.` },
  wait: commands.wait,
});
