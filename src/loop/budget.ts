/** A session's budgets: counted after each request, looked at before the next, so that nothing is cut in the middle. */
import { usedTokens } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import { steadyNow } from '../lib/steady-now.ts';
import { lastWords } from './conversation.ts';
import type { Budget, Here, LoopDeps, Opening } from './deps.ts';
import { allKinds, createPurse, type Purse, type Reached } from './purse.ts';

/** What a conversation used up itself: its replies, and what was asked on its behalf. */
const spentBy = (
  state: SessionState | undefined,
  cost: LoopDeps['cost'],
): { readonly tokens: number; readonly usd: number } => ({
  tokens: state ? usedTokens(state.usage) : 0,
  usd: state ? cost(state.usageByModel) : 0,
});

export const createBudget = (deps: LoopDeps, opening: Opening): Budget => {
  const own = createPurse(opening.limits, { warnAt: deps.warnAt, now: () => new Date(steadyNow()) });
  const { renewing = false } = opening;
  const purses = [own, ...(opening.purses ?? [])];
  let counted = spentBy(opening.before, deps.cost);
  let heard = opening.before?.turns ?? 0;

  const account: Budget['account'] = (state) => {
    const now = spentBy(state, deps.cost);
    const use = { tokens: now.tokens - counted.tokens, usd: now.usd - counted.usd };
    counted = now;
    for (const purse of purses) purse.spend(use);
  };

  const more = async (
    here: Here,
    purse: Purse,
    over: Reached,
    signal: AbortSignal,
  ): Promise<'yes' | 'no' | 'gone'> => {
    const raised = new AbortController();
    const unlisten = purse.onMore(() => raised.abort());
    const answer = await here
      .ask(
        {
          kind: 'confirm',
          title: 'A budget is used up',
          body: over.text,
          options: [
            { value: 'more', label: `Add ${over.amount} and go on` },
            { value: 'stop', label: 'Stop here' },
          ],
        },
        AbortSignal.any([signal, raised.signal]),
      )
      .finally(unlisten);
    if (signal.aborted) return 'gone';
    if (raised.signal.aborted) return 'yes';
    if (answer.kind !== 'confirm' || answer.value !== 'more') return 'no';
    purse.extend();
    return 'yes';
  };

  /** Money that cannot be counted is not spent (ruling 48). */
  const withoutPrice = ({ model, inForce }: SessionState): string | undefined => {
    const id = inForce?.model ?? model;
    const counts = purses.some((purse) => purse.levels().some(({ kind }) => kind === 'usd'));
    return counts && deps.facts(id).price === undefined ? unpricedText(id) : undefined;
  };

  return {
    begin() {
      own.renew('turns', ...(renewing ? (['minutes'] as const) : []));
    },
    account,
    levels: own.levels,
    answered() {
      for (const purse of purses) purse.spend({ turns: 1 });
    },
    async parked(here, signal) {
      const state = here.state();
      account(state);
      if (state.turns !== heard) for (const purse of purses) purse.reopen();
      heard = state.turns;
      const unpriced = withoutPrice(state);
      if (unpriced) return { stop: 'budget', text: lastWords(state.messages), error: unpriced };
      await deps.upToDate?.();
      for (const purse of purses) {
        const fresh = renewing && purse === own;
        for (let over = purse.reached(); over; over = purse.reached()) {
          const now = over;
          if (!fresh && (await purse.once(() => more(here, purse, now, signal)))) continue;
          if (fresh) own.renew(...allKinds);
          return {
            stop: signal.aborted ? 'interrupted' : over.stop,
            text: lastWords(here.state().messages),
            error: over.text,
            ...(fresh ? { fresh } : {}),
          };
        }
        const text = opening.verifier ? undefined : purse.nearing();
        if (text !== undefined)
          deps.emit(
            { session: here.state().root, agent: 'main' },
            { type: 'notice', level: 'warn', text: nameIt(here, text) },
          );
      }
      return undefined;
    },
  };
};

export const unpricedText = (model: string): string =>
  `A money limit is set, and the model ${model} has no known price. Use another model, set prices.${model} in your settings, or limit turns or tokens instead.`;

/** The person reads it in the main conversation. */
const nameIt = ({ opening }: Here, text: string): string => {
  const { agent, parent } = opening.entry;
  return parent === undefined ? text : `Agent ${agent.name ?? agent.type}: ${text}`;
};
