/** bypassPermissions is warned about once, before it can be used for the first time. */
import type { ScreenCommands } from '../contract/screen.ts';
import { privateFile } from './private-file.ts';
import type { World } from './world.ts';

const BODY = `In this mode nothing asks: every command runs and every file is written, whatever the model was told by what it read. Only deny and ask rules still hold.

Use it where there is nothing to lose: in a container or a virtual machine without credentials, or with the sandbox on.`;

/** False when the person turned back. */
export const warnedOfBypass = async (commands: ScreenCommands, world: World): Promise<boolean> => {
  const file = world.homes.own ? privateFile(`${world.homes.own}/warned.json`) : undefined;
  if ((await file?.read())?.includes('"bypassPermissions"')) return true;
  const answer = await commands.confirm({
    title: 'Run without any permission question?',
    body: BODY,
    options: [
      { value: 'yes', label: 'Yes, I accept the risk' },
      { value: 'no', label: 'No, leave' },
    ],
  });
  if (answer !== 'yes') return false;
  await file?.write('["bypassPermissions"]\n').catch(() => undefined);
  return true;
};
