import { type BudgetLevel, budgetAmount } from '../contract/budget.ts';
import type { SlashCommand } from '../contract/command.ts';
import { allUse, type ModelUse } from '../contract/message.ts';
import { dollars, shortNumber, table, text } from './answer.ts';

export interface CostView {
  /** Undefined where the price is not known. */
  cost(model: string, usage: ModelUse): number | undefined;
  budgets(): readonly BudgetLevel[];
}

/** `/cost`: tokens, money and cache share, per model, agents included; and how far budgets are used up. */
export const costCommand = ({ cost, budgets }: CostView): SlashCommand => ({
  name: 'cost',
  aliases: ['usage', 'stats'],
  description: 'Tokens and money of this conversation, and its budgets',
  source: 'builtin',
  instant: true,
  async run(_args, { session }) {
    const state = session.state();
    const models = Object.entries(allUse(state));
    const limits = budgetTable(budgets());
    if (models.length === 0) return text(['Nothing was sent to a model yet.', ...limits].join('\n\n'));
    const rows = models.map(([model, usage]) => {
      const read = usage.cache_read_input_tokens;
      const all = usage.input_tokens + read + usage.cache_creation_input_tokens;
      const share = all === 0 ? 0 : Math.round((100 * read) / all);
      return [
        model,
        shortNumber(all),
        shortNumber(usage.output_tokens),
        `${share} %`,
        dollars(cost(model, usage)),
      ];
    });
    const sum = (used: readonly (readonly [string, ModelUse])[]): number | undefined =>
      used.reduce<number | undefined>((all, [model, usage]) => {
        const one = cost(model, usage);
        return all === undefined || one === undefined ? undefined : all + one;
      }, 0);
    const below = Object.entries(state.usageBelow ?? {});
    const agents = below.length === 0 ? '' : `, of which agents used ${dollars(sum(below))}`;
    return text(
      [
        table(['model', 'input', 'output', 'from cache', 'cost'], rows),
        `Together: **${dollars(sum(models))}**${agents}`,
        ...limits,
      ].join('\n\n'),
    );
  },
});

/** Budgets as a table; nothing where there are none. */
export const budgetTable = (levels: readonly BudgetLevel[]): readonly string[] =>
  levels.length === 0
    ? []
    : [
        table(
          ['budget of', 'used', 'of', ''],
          levels.map(({ whose, kind, used, allowed }) => [
            whose,
            budgetAmount(kind, used),
            budgetAmount(kind, allowed),
            `${Math.round((100 * used) / allowed)} %`,
          ]),
        ),
      ];
