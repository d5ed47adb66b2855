/** How models are used unless a conversation says otherwise: effort, thinking, when it is compacted. */
import type { Effort } from '../contract/model.ts';
import type { LoopDeps } from '../loop/deps.ts';
import { thinkingDefault } from '../model/thinking.ts';
import type { Models } from './models.ts';
import type { World } from './world.ts';

export interface ModelHabits {
  /** What was asked for at the start. */
  readonly effort?: Effort;
  /** Tokens that a model may think with. */
  thinkingFor(model: string): number;
  readonly compactAt: LoopDeps['autoCompact'];
}

/** Share of the window at which a conversation is compacted by itself. */
const COMPACT_SHARE = 0.92;

export const modelHabits = (
  { flags, loaded, env }: Pick<World, 'flags' | 'loaded' | 'env'>,
  models: Pick<Models, 'facts'>,
): ModelHabits => {
  const settings = () => loaded().settings;
  return {
    effort: flags.effort ?? settings().effortLevel,
    thinkingFor: (model) => (settings().alwaysThinkingEnabled === false ? 0 : thinkingDefault(model, env())),
    compactAt(model) {
      if (settings().autoCompactEnabled === false || env().DISABLE_AUTO_COMPACT) return undefined;
      const percent = Number(env().CLAUDE_AUTOCOMPACT_PCT_OVERRIDE);
      const window = settings().autoCompactWindow;
      if (window) return Math.min(COMPACT_SHARE, window / models.facts(model).window);
      return percent > 0 && percent <= 100 ? percent / 100 : COMPACT_SHARE;
    },
  };
};
