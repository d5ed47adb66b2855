/** Asks once about each change of what a trusted project can run; the old one runs on meanwhile (ruling 8). */
import type { ScreenCommands } from '../contract/screen.ts';
import { askTrust } from './trust-text.ts';
import type { World } from './world.ts';

/** True when everything there may be used. Who said no is asked again only when they wish to be. */
export type MayUse = (how?: 'again') => Promise<boolean>;

/** `accepted` runs after a yes, when what is there counts. */
export const askChanges = (commands: ScreenCommands, world: World, accepted: () => Promise<void>): MayUse => {
  let refused: string | undefined;
  let asking: Promise<boolean> | undefined;
  const ask = async (): Promise<boolean> => {
    const changed = await world.accepted.changed();
    if (!changed) return true;
    const what = JSON.stringify([changed.parts, changed.more]);
    if (what === refused) return false;
    if (!(await askTrust(commands, changed))) {
      refused = what;
      commands.notice('info', 'What changed in this folder is off; what it could run before goes on.');
      return false;
    }
    await world.accepted.accept(changed);
    await world.reload();
    await accepted();
    return true;
  };
  return (how) => {
    if (how) refused = undefined;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
};
