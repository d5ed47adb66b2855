/** Text as models write it: paragraphs, a list, code. About four characters a token, `tokens` of them. */
export const prose = (tokens: number): string => {
  let text = '';
  for (let part = 1; text.length < tokens * 4; part++)
    text += `## Part ${part}

The **cart** rounds every line before it sums them, so that \`total()\` drifts by a cent; the cure is to keep full
precision and to round once, where the sum is shown to a person who pays.

- vouchers are taken off *before* the sum is rounded
- a negative total becomes zero, and says so

\`\`\`ts
export function total${part}(lines: readonly Line[], voucher = 0): number {
  const sum = lines.reduce((all, line) => all + line.price * line.count, ${part});
  return Math.max(0, round(sum - voucher)); // never below zero
}
\`\`\`

`;
  return text.slice(0, tokens * 4);
};
