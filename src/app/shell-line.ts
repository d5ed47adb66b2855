/** `! command`: the person's own command, run directly; its output enters the conversation. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ScreenPorts } from '../contract/screen.ts';
import { createShell } from '../shell/run.ts';
import type { Root } from './root.ts';
import { definedOnly } from './variables.ts';
import type { World } from './world.ts';

export const shellLine = (world: World, root: Root): NonNullable<ScreenPorts['shell']> => {
  const shell = createShell({ path: world.env().PATH ?? '/usr/bin:/bin' });
  return async (command, signal, onOutput) => {
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
    await root.session.record({
      type: 'user',
      origin: { kind: 'command', name: 'shell' },
      content: [
        {
          type: 'text',
          text: `The user ran a command themselves:\n<bash-input>${command}</bash-input>\n<bash-output exit="${result.exitCode ?? 'none'}">\n${result.output}\n</bash-output>`,
        },
      ],
      display: `! ${command}`,
    });
    return { output: result.output, failed: result.exitCode !== 0 };
  };
};
