import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import { createHouse, type House } from './house.ts';
import { createModels } from './models.ts';
import { readKey } from './stored-key.ts';
import { VERSION } from './version.ts';
import { openWorld } from './world.ts';

/** A house for a subcommand: nothing is asked, no conversation is opened, nothing is written. */
export const quietHouse = async (host: Host, flags: Flags): Promise<House> => {
  const world = await openWorld({
    host,
    flags: { ...flags, sessionPersistence: false },
    trouble: () => undefined,
  });
  const models = await createModels({
    flags,
    env: world.env(),
    loaded: world.loaded(),
    storedKey: await readKey(world.homes),
    version: VERSION,
    practice: flags.practice === true,
  });
  return createHouse({ world, models });
};
