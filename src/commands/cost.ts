import type { SlashCommand } from '../contract/command.ts';
import type { Usage } from '../contract/message.ts';
import { dollars, shortNumber, table, text } from './answer.ts';

/** `/cost`: tokens, money and cache share, per model. */
export const costCommand = (cost: (model: string, usage: Usage) => number | undefined): SlashCommand => ({
  name: 'cost',
  aliases: ['usage', 'stats'],
  description: 'Tokens and money of this conversation',
  source: 'builtin',
  instant: true,
  async run(_args, { session }) {
    const models = Object.entries(session.state().usageByModel);
    if (models.length === 0) return text('Nothing was sent to a model yet.');
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
    const sums = models.map(([model, usage]) => cost(model, usage));
    const total = sums.includes(undefined)
      ? undefined
      : sums.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    return text(
      `${table(['model', 'input', 'output', 'from cache', 'cost'], rows)}\n\nTogether: **${dollars(total)}**`,
    );
  },
});
