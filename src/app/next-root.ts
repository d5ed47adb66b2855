/** From one conversation to the next: the one before is closed, and there is one to go on with whatever goes wrong. */
import type { SessionSwitch } from '../contract/command.ts';
import { errorText } from '../lib/error-text.ts';
import type { Flags } from './flags.ts';
import type { House } from './house.ts';
import { openRoot, type Root } from './root.ts';
import type { RootRefused } from './root-beginning.ts';
import type { RootWish } from './root-wish.ts';
import { limitsOf } from './start.ts';

export interface Next {
  readonly root: Root;
  /** Why it is not the one that was wished for. */
  readonly instead?: string;
}

const open = (house: House, wish: RootWish): Promise<Root | RootRefused> =>
  openRoot(house, wish).catch((error: unknown) => ({ refused: errorText(error) }));

/** Refused: nothing was closed, or (`nowhere`) nothing can be opened any more. */
export const nextRoot = async (
  house: House,
  flags: Flags,
  before: Root,
  to: SessionSwitch,
  follow?: RootWish['follow'],
): Promise<Next | { readonly refused: string; readonly nowhere?: true }> => {
  const { world } = house;
  const { mode, model } = before.session.state();
  const common = {
    mode: mode === 'plan' ? ('default' as const) : mode,
    model,
    headless: false,
    limits: limitsOf(world, flags),
    follow,
  };
  const anew = { ...common, ...(before.definition ? { definition: before.definition } : {}) };
  const from = to.how === 'clear' ? undefined : await world.stores.transcripts.find(to.id);
  if (to.how !== 'clear' && !from) return { refused: 'That conversation is gone.' };
  await before.close(to.how === 'clear' ? 'clear' : 'resume');
  // What hooks of that conversation asked to watch goes with it.
  follow?.([]);
  await house.voice.choose();
  const root = await open(
    house,
    from ? { ...common, source: to.how === 'fork' ? 'fork' : 'resume', from } : { ...anew, source: 'clear' },
  );
  if (!('refused' in root)) return { root };
  const fresh = await open(house, { ...anew, source: 'startup' });
  return 'refused' in fresh
    ? { refused: fresh.refused, nowhere: true }
    : { root: fresh, instead: root.refused };
};
