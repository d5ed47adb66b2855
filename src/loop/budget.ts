/** A session's budgets: counted after each request, looked at before the next, so that nothing is cut in the middle. */
import { usedTokens } from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import { lastWords } from './conversation.ts';
import type { Budget, Here, LoopDeps, Opening } from './deps.ts';
import { allKinds, createPurse, type Purse, type Reached } from './purse.ts';

/** What a budget counts of earlier work in the same conversation. */
export const spentBefore = (
  state: SessionState | undefined,
  cost: LoopDeps['cost'],
): { readonly tokens: number; readonly usd: number } => ({
  tokens: state ? usedTokens(state.usage) : 0,
  usd: (state && cost(state)) ?? 0,
});

export const createBudget = (deps: LoopDeps, opening: Opening): Budget => {
  const own = createPurse(opening.limits, { warnAt: deps.warnAt, now: deps.now });
  const { renewing = false } = opening;
  const purses: readonly { readonly purse: Purse; readonly asks: boolean }[] = [
    { purse: own, asks: !renewing },
    ...(opening.purses ?? []),
  ];
  let counted = spentBefore(opening.before, deps.cost);

  const account: Budget['account'] = (state) => {
    const now = spentBefore(state, deps.cost);
    const use = { tokens: now.tokens - counted.tokens, usd: now.usd - counted.usd };
    counted = now;
    for (const { purse } of purses) purse.spend(use);
  };

  const more = async (here: Here, purse: Purse, over: Reached, signal: AbortSignal): Promise<boolean> => {
    const answer = await here.ask(
      {
        kind: 'confirm',
        title: 'A budget is used up',
        body: over.text,
        options: [
          { value: 'more', label: `Add ${over.amount} and go on` },
          { value: 'stop', label: 'Stop here' },
        ],
      },
      signal,
    );
    const yes = answer.kind === 'confirm' && answer.value === 'more';
    if (yes) purse.extend();
    return yes;
  };

  return {
    begin() {
      own.renew('turns', ...(renewing ? (['minutes'] as const) : []));
    },
    account,
    answered() {
      for (const { purse } of purses) purse.spend({ turns: 1 });
    },
    async parked(here, signal) {
      account(here.state());
      await deps.upToDate?.();
      for (const { purse, asks } of purses) {
        for (let over = purse.reached(); over; over = purse.reached()) {
          const now = over;
          if (asks && (await purse.once(() => more(here, purse, now, signal)))) continue;
          const fresh = renewing && purse === own;
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

/** The person reads it in the main conversation. */
const nameIt = ({ opening }: Here, text: string): string => {
  const { agent, parent } = opening.entry;
  return parent === undefined ? text : `Agent ${agent.name ?? agent.type}: ${text}`;
};
