import type { World } from './world.ts';

/** Why bypassPermissions may not be used here; undefined when it may. */
export const bypassRefused = (world: World): string | undefined => {
  const { host } = world;
  if (world.loaded().settings.permissions?.disableBypassPermissionsMode === 'disable')
    return 'bypassPermissions is switched off by settings.';
  const boxed =
    host.env.COPPICE_SANDBOXED === '1' ||
    host.env.IS_SANDBOX === '1' ||
    world.loaded().settings.sandbox?.enabled === true;
  return host.uid === 0 && !boxed
    ? 'bypassPermissions is refused for root: use a sandbox (sandbox.enabled, or COPPICE_SANDBOXED=1 where you run in one).'
    : undefined;
};
