/** Tools that leave the computer: one page, and the search of the model's own provider. */
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import { webPages } from '../fetch/web-pages.ts';
import { isHome } from '../model/config.ts';
import { webFetchTool } from '../tools/web-fetch.ts';
import { askModel } from './ask-model.ts';
import type { House } from './house.ts';

const ANSWER_TOKENS = 4_000;

export const webTools = ({ world, models }: House): readonly Tool[] => [
  webFetchTool({
    pages: webPages({ env: world.env() }),
    ask: (question, state, signal) =>
      askModel(models, {
        ...question,
        model: 'small',
        parent: state.model,
        signal,
        maxTokens: ANSWER_TOKENS,
      }),
  }),
];

const SEARCH = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 };

/**
 * The provider's own search, where the endpoint is the provider's. It runs there: no connection of ours, no question
 * for each search; a deny rule for WebSearch takes it away.
 */
export const searchTools = (
  { models, gate }: Pick<House, 'models' | 'gate'>,
  offered: boolean,
  state: SessionState,
): readonly Readonly<Record<string, unknown>>[] =>
  offered && !models.practice && isHome({ baseUrl: models.baseUrl }) && !gate.hides('WebSearch', state)
    ? [SEARCH]
    : [];
