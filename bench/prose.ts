/** Text as models write it: paragraphs, lists, a little code. About four characters a token, `tokens` of them. */
export const prose = (tokens: number): string => {
  let text = '';
  for (let part = 1; text.length < tokens * 4; part++)
    text += `## Part ${part}

The **cart** rounds every line before it sums them, so that \`total()\` drifts by a cent; the cure is to keep full
precision and to round once, where the sum is shown to a person who pays. Nothing else in the shop reads the rounded
figure: the invoice sums its own lines, and the export writes what the database holds.

Two callers rely on the old order. The voucher page takes its share before the sum is rounded, which was right by
accident, and the *refund* takes it afterwards, which was wrong by a cent in about one order of forty. Both now ask
the same function, and what they did by themselves is gone.

- vouchers are taken off *before* the sum is rounded
- a negative total becomes zero, and says so
- refunds go through the same lines as orders, with the sign turned

${part % 3 === 0 ? code(part) : ''}
`;
  return text.slice(0, tokens * 4);
};

const code = (part: number): string => `\`\`\`ts
export function total${part}(lines: readonly Line[], voucher = 0): number {
  const sum = lines.reduce((all, line) => all + line.price * line.count, ${part});
  return Math.max(0, round(sum - voucher)); // never below zero
}
\`\`\`

`;
