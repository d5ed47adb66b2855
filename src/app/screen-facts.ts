import { homedir } from 'node:os';
import { dollars, shortNumber } from '../commands/answer.ts';
import { allUse, usedTokens } from '../contract/message.ts';
import type { Mode } from '../contract/mode.ts';
import type { ScreenFacts } from '../contract/screen.ts';
import type { SessionState } from '../contract/state.ts';
import type { Commands } from './command-box.ts';
import { branchOf } from './git-facts.ts';
import type { Models } from './models.ts';
import type { World } from './world.ts';

const short = (path: string): string =>
  path === homedir() || path.startsWith(`${homedir()}/`) ? `~${path.slice(homedir().length)}` : path;

export interface ScreenFactsDeps {
  readonly world: World;
  readonly models: Models;
  readonly commands: Pick<Commands, 'sandbox'>;
}

/** What the footer says; cheap, it is read after every frame. */
export const screenFacts = (
  { world, models, commands }: ScreenFactsDeps,
  state: SessionState,
  modes: readonly Mode[],
  statusLine?: string,
  colour?: string,
): ScreenFacts => {
  const used = allUse(state);
  const cost = models.cost(used);
  const sandbox = commands.sandbox.state();
  const tokens = Object.values(used).reduce(
    (sum, usage) => sum + usedTokens(usage) + usage.cache_read_input_tokens,
    0,
  );
  const labels = [
    ...(models.practice ? ['practice model: offline'] : []),
    ...(sandbox.state === 'on' ? ['sandbox'] : sandbox.state === 'unavailable' ? ['no sandbox'] : []),
  ];
  return {
    model: state.model,
    branch: branchOf(state.cwd),
    directory: short(state.cwd),
    mode: state.mode,
    modes,
    contextShare:
      state.contextTokens === 0 ? undefined : state.contextTokens / models.facts(state.model).window,
    ...(tokens === 0 ? {} : { cost: cost === undefined ? `${shortNumber(tokens)} tokens` : dollars(cost) }),
    title: state.title,
    vimModeShown: world.loaded().settings.statusLine?.hideVimModeIndicator !== true,
    ...(statusLine === undefined ? {} : { statusLine }),
    ...(colour === undefined ? {} : { colour }),
    ...(labels.length > 0 ? { label: labels.join(' · ') } : {}),
  };
};
