/** Tools that leave the computer: one page, and the search of the model's own provider. */
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import type { WebPages } from '../contract/web.ts';
import { isHome } from '../model/config.ts';
import { webFetchTool } from '../tools/web-fetch.ts';
import type { ModelAnswer, ModelQuestion } from './ask-model.ts';
import type { Gate } from './gate.ts';
import type { Models } from './models.ts';
import type { World } from './world.ts';

type Ask = (state: SessionState, question: ModelQuestion) => Promise<ModelAnswer>;

const ANSWER_TOKENS = 4_000;

/** What reads pages is loaded with the first one; kept from then on, and with it the pages it keeps. */
const pagesWhenAsked = (env: Readonly<Record<string, string | undefined>>): WebPages => {
  let pages: Promise<WebPages> | undefined;
  const load = async (): Promise<WebPages> =>
    (await import('../fetch/web-pages.ts')).webPages({ env, pdf: pdfText });
  return {
    read: async (address, signal) => {
      pages ??= load();
      return (await pages).read(address, signal);
    },
  };
};

const pdfText = async (path: string, bytes: Uint8Array, signal: AbortSignal) => {
  const { readPdf } = await import('../media/pdf.ts');
  const outcome = await readPdf({ path, bytes, pages: undefined, documents: false }, signal);
  return outcome.status === 'ok' ? { text: outcome.text } : { problem: outcome.text };
};

export const webTools = (world: World, ask: Ask): readonly Tool[] => [
  webFetchTool({
    pages: pagesWhenAsked(world.env()),
    ask: (question, state, signal) =>
      ask(state, { ...question, about: 'WebFetch', model: 'small', signal, maxTokens: ANSWER_TOKENS }),
  }),
];

const SEARCH = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 };

export interface SearchPlace {
  readonly models: Pick<Models, 'practice' | 'baseUrl'>;
  readonly gate: Pick<Gate, 'hides'>;
}

/**
 * The provider's own search, where the endpoint is the provider's. It runs there: no connection of ours, no question
 * for each search; a deny rule for WebSearch takes it away.
 */
export const searchTools = (
  { models, gate }: SearchPlace,
  offered: boolean,
  state: SessionState,
): readonly Readonly<Record<string, unknown>>[] =>
  offered && !models.practice && isHome({ baseUrl: models.baseUrl }) && !gate.hides('WebSearch', state)
    ? [SEARCH]
    : [];
