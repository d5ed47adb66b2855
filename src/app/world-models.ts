import type { Models, ModelWish } from './models.ts';
import { createModels } from './models.ts';
import { readKey } from './stored-key.ts';
import { VERSION } from './version.ts';
import type { World } from './world.ts';

/** The models of a run that nobody is asked about. `helper` runs `apiKeyHelper`; without it none is run. */
export const worldModels = async (world: World, helper?: ModelWish['helper']): Promise<Models> =>
  createModels({
    flags: world.flags,
    env: world.env(),
    loaded: world.loaded(),
    storedKey: await readKey(world.homes),
    version: VERSION,
    helper,
    practice: world.flags.practice === true,
  });
