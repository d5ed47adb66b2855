import type { Flags } from './flags.ts';
import type { Host } from './host.ts';
import { createHouse, type House } from './house.ts';
import { openWorld } from './world.ts';
import { worldModels } from './world-models.ts';

/** A house for a subcommand: nothing is asked, no conversation is opened, nothing is written. */
export const quietHouse = async (host: Host, flags: Flags): Promise<House> => {
  const world = await openWorld({
    host,
    flags: { ...flags, sessionPersistence: false },
    trouble: () => undefined,
  });
  return createHouse({ world, models: await worldModels(world) });
};
