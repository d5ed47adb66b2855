/** `! command`: the person's own command, run directly; its output enters the conversation. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ScreenPorts } from '../contract/screen.ts';
import { errorText } from '../lib/error-text.ts';
import { mask } from '../lib/mask.ts';
import { createShell } from '../shell/run.ts';
import type { Models } from './models.ts';
import type { Root } from './root.ts';
import { definedOnly } from './variables.ts';
import type { World } from './world.ts';

export const shellLine = (world: World, models: Models, root: Root): NonNullable<ScreenPorts['shell']> => {
  const shell = createShell({ path: world.env().PATH ?? '/usr/bin:/bin' });

  /** With the mail, so that it comes after the results of calls that run; the model answers it unless told not to. */
  const tell = async (text: string): Promise<void> => {
    const origin = { kind: 'command', name: 'shell' } as const;
    const answers = world.loaded().settings.respondToBashCommands !== false;
    if (answers || root.session.busy())
      await world.stores.mailbox.send(root.session.id, { id: randomUUID(), text, origin });
    else
      await root.session.record({
        type: 'user',
        origin,
        content: [{ type: 'text', text }],
        display: text,
      });
  };

  return async (command, signal, onOutput) => {
    try {
      const state = root.session.state();
      const outputs = await world.stores.transcripts.outputs(state.root, world.project);
      const running = shell.start({
        command,
        cwd: state.cwd,
        env: definedOnly(world.env()),
        timeoutMs: 600_000,
        outputFile: join(outputs, `shell-${randomUUID().slice(0, 8)}.txt`),
        signal,
        onOutput: () => onOutput(running.news()),
      });
      const result = await running.result;
      if (result.cwd !== state.cwd) await root.session.record({ type: 'cwd', cwd: result.cwd });
      const words = `The user ran a command themselves:\n<bash-input>${command}</bash-input>\n<bash-output exit="${result.exitCode ?? 'none'}">\n${result.output}\n</bash-output>`;
      await tell(mask(words, models.secrets));
      return undefined;
    } catch (error) {
      return `The command could not be run: ${errorText(error)}`;
    }
  };
};
