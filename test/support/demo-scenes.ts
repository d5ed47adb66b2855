import type { DemoSession } from './demo-session.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const answer = `I found it: the cart rounds **each line** before it sums, so \`total()\` drifts by a cent.

## What I changed

1. \`lineTotal()\` keeps full precision now
2. \`total()\` rounds once, at the end
   - vouchers are taken off *before* rounding
   - negative totals become zero
3. Two tests for the cases from the [issue](https://example.com/issues/12)

\`\`\`ts
export function total(lines: readonly Line[], voucher = 0): number {
  // Round once: per-line rounding loses cents.
  const sum = lines.reduce((all, line) => all + line.price * line.count, 0);
  return Math.max(0, Math.round((sum - voucher) * 100) / 100);
}
\`\`\`

| case | before | after |
|:-----|-------:|------:|
| 3 × 0.335 | 1.02 | 1.01 |
| voucher larger than the sum | -2.00 | 0.00 |

> Prices are still floats; integers in cents would be safer.

Run \`npm test\` to see both.`;

const patch = `@@ -12,9 +12,9 @@
 import type { Line } from './line.ts';
 
 export function total(lines: readonly Line[], voucher = 0): number {
-  const sum = lines.reduce((all, line) => all + round(line.price * line.count), 0);
-  return round(sum) - voucher;
+  const sum = lines.reduce((all, line) => all + line.price * line.count, 0);
+  return Math.max(0, round(sum - voucher));
 }
 
 export const round = (value: number): number => Math.round(value * 100) / 100;`;

const diff = { kind: 'diff', path: 'src/cart.ts', patch, added: 2, removed: 2 } as const;

/** Named scenes: each plays its events and then leaves the screen to the person. */
export const scenes: Readonly<Record<string, (demo: DemoSession) => Promise<void>>> = {
  async empty() {},
  async day(demo) {
    demo.turn();
    demo.user('The cart total is a cent off. Find out why and fix it.');
    demo.think(
      'The person says the total is off by a cent. That smells like rounding per line. Let me look at the cart first.',
    );
    await pause(300);
    demo.tool('1', 'Grep', 'round\\(');
    demo.tool('2', 'Read', '/home/ada/shop/src/cart.ts');
    demo.toolDone('1', 'Grep', {
      display: { kind: 'text', summary: '4 matches in 2 files', body: 'src/cart.ts:15' },
    });
    demo.toolDone('2', 'Read', {
      display: { kind: 'code', path: 'src/cart.ts', summary: '48 lines', body: 'x' },
    });
    await demo.say('The rounding happens per line. I will round once instead.', 5, 10);
    demo.replied('The rounding happens per line. I will round once instead.');
    demo.tool('3', 'Edit', '/home/ada/shop/src/cart.ts');
    demo.toolDone('3', 'Edit', { display: diff });
    demo.tool('4', 'Bash', 'npm test');
    for (let n = 1; n < 8; n++) {
      demo.emit({ type: 'tool.progress', call: '4' as never, text: `test ${n} … ok\n` });
      await pause(60);
    }
    demo.toolDone('4', 'Bash', {
      text: Array.from({ length: 12 }, (_, n) => `✓ test/cart.test.ts > case ${n}`).join('\n'),
    });
    await demo.say(answer, 11, 4);
    demo.replied(answer);
    demo.done();
  },
  async streaming(demo) {
    demo.turn();
    demo.user('Explain the cart.');
    await demo.say(answer.slice(0, 700), 50);
  },
  async tool(demo) {
    demo.turn();
    demo.user('Run the tests.');
    demo.tool('1', 'Bash', 'npm test -- --run');
    demo.emit({ type: 'tool.progress', call: '1' as never, text: 'one\ntwo\nthree\nfour\nfive\n' });
    demo.tool('2', 'mcp__docs__search', 'rounding');
  },
  async diff(demo) {
    demo.turn();
    demo.user('Fix it.');
    demo.tool('1', 'Edit', '/home/ada/shop/src/cart.ts');
    demo.toolDone('1', 'Edit', { display: diff });
    demo.tool('2', 'Bash', 'npm run lint && npm test');
    demo.toolDone('2', 'Bash', {
      status: 'error',
      text: 'Exit code 1\nsrc/cart.ts:15:3 error: unused variable',
    });
    demo.tool('3', 'Write', '/etc/hosts');
    demo.toolDone('3', 'Write', { status: 'denied', text: 'The path lies outside the workspace.' });
    demo.done();
  },
  async question(demo) {
    demo.turn();
    demo.user('Clean the build.');
    demo.tool('1', 'Bash', 'rm -rf dist && npm run build');
    void demo.ask({
      kind: 'permission',
      call: '1' as never,
      tool: 'Bash',
      subject: 'rm -rf dist && npm run build',
      input: { command: 'rm -rf dist && npm run build', description: 'Build from scratch' },
      why: {
        reason: 'No rule allows this command.',
        trace: [
          { subject: 'rm -rf dist', decision: 'ask', reason: 'No rule allows rm -rf dist.' },
          { subject: 'npm run build', decision: 'ask', reason: 'No rule allows npm run build.' },
        ],
        among: {
          mode: 'default',
          rules: [
            {
              behavior: 'allow',
              text: 'Bash(git *)',
              source: 'project (/home/ada/shop/.coppice/settings.json)',
            },
          ],
        },
        suggestions: ['Bash(rm -rf dist)', 'Bash(npm run build)'],
      },
    });
  },
  async edit(demo) {
    demo.turn();
    demo.user('Fix it.');
    demo.tool('1', 'Edit', '/home/ada/shop/src/cart.ts');
    void demo.ask({
      kind: 'permission',
      call: '1' as never,
      tool: 'Edit',
      subject: 'src/cart.ts',
      input: {},
      display: diff,
      why: { reason: 'Edits are asked about in this mode.', trace: [], suggestions: ['Edit(src/**)'] },
    });
  },
  async plan(demo) {
    demo.turn();
    demo.user('Plan it.');
    void demo.ask({
      kind: 'plan',
      call: '1' as never,
      path: 'plans/cart.md',
      plan: `# Round once\n\n1. Keep full precision in \`lineTotal()\`\n2. Round in \`total()\`\n\n## Files\n\n- src/cart.ts\n- test/cart.test.ts\n`,
    });
  },
  async choice(demo) {
    demo.turn();
    demo.user('Set up the database.');
    void demo.ask({
      kind: 'choice',
      questions: [
        {
          header: 'Database',
          question: 'Which database should the shop use?',
          multiSelect: false,
          options: [
            { label: 'PostgreSQL', description: 'Runs everywhere, transactions' },
            { label: 'SQLite', description: 'One file, nothing to operate' },
          ],
        },
        {
          header: 'Extras',
          question: 'What else?',
          multiSelect: true,
          options: [{ label: 'Migrations' }, { label: 'Seed data' }],
        },
      ],
    });
  },
  async long(demo) {
    demo.turn();
    demo.user('List everything.');
    demo.tool('1', 'Bash', 'find .');
    demo.toolDone('1', 'Bash', {
      text: Array.from({ length: 400 }, (_, n) => `./src/file-${n}.ts`).join('\n'),
    });
    const text = Array.from(
      { length: 30 },
      (_, n) => `Paragraph ${n}: ${'words and more words '.repeat(8)}`,
    ).join('\n\n');
    await demo.say(text, 200);
    demo.replied(text);
    demo.done();
  },
  async wide(demo) {
    demo.turn();
    demo.user('日本語で答えて 👩‍💻');
    const text =
      '見つけました：カートは**各行**を丸めています。\n\n- 価格は 0.335 円 🛒\n- 합계는 1.01 원\n- naïve café — “quotes”\n\n| 品目 | 価格 |\n|---|---:|\n| りんご 🍎 | 120 |\n| テレビ | 48000 |';
    await demo.say(text);
    demo.replied(text);
    demo.done();
  },
  async table(demo) {
    demo.turn();
    demo.user('Compare them.');
    const text =
      '| option | how it works | when to take it | cost |\n|---|---|:---:|---:|\n| integers | keep all prices as **cents** in integers and divide only for showing | always, when you can migrate | 2 days |\n| decimal library | a type with exact arithmetic, e.g. `decimal.js` | when prices have more than two places | half a day |\n| rounding once | what I did | now | done |';
    await demo.say(text);
    demo.replied(text);
    demo.done();
  },
  async retry(demo) {
    demo.turn();
    demo.user('Go on.');
    demo.emit({
      type: 'notice',
      level: 'warn',
      text: 'The project’s hooks are off until you trust this folder.',
    });
    demo.emit({
      type: 'retry',
      attempt: 2,
      of: 10,
      delayMs: 8000,
      status: 529,
      kind: 'overloaded',
      text: 'The service is overloaded (529).',
    });
  },
  async failed(demo) {
    demo.turn();
    demo.user('Go on.');
    demo.entry({
      type: 'failed',
      failure: {
        kind: 'authentication_failed',
        text: 'The service refused the key (401). Set ANTHROPIC_API_KEY or run /login.',
        retryable: false,
      },
    });
    demo.done({
      stop: 'failed',
      error: 'The service refused the key (401). Set ANTHROPIC_API_KEY or run /login.',
    });
  },
  async queued(demo) {
    demo.turn();
    demo.user('Run the long thing.');
    demo.tool('1', 'Bash', 'sleep 60');
    demo.emit({ type: 'queued', box: 'b', place: 1, text: 'then run the linter too' });
    demo.emit({ type: 'queued', box: 'b', place: 2, text: 'and tell me what\nchanged' });
  },
  /** Twenty thousand tokens at once. */
  async flood(demo) {
    demo.turn();
    demo.user('Everything.');
    const text = Array.from({ length: 60 }, () => answer).join('\n\n');
    await demo.say(text, 4);
    demo.replied(text);
    demo.done();
    demo.emit({ type: 'notice', level: 'info', text: 'flood over' });
  },
  async agents(demo) {
    demo.turn();
    demo.user('Look at both halves.');
    demo.tool('1', 'AgentTool', 'Survey the catalog');
    demo.tool('2', 'AgentTool', 'Survey the checkout');
    demo.emit({
      type: 'agent.started',
      child: 'c1' as never,
      label: 'Survey the catalog',
      agentType: 'explore',
      background: false,
      call: '1' as never,
    });
    demo.emit({
      type: 'agent.started',
      child: 'c2' as never,
      label: 'Survey the checkout',
      agentType: 'explore',
      background: false,
      call: '2' as never,
    });
    demo.emit({
      type: 'agent.started',
      child: 'c3' as never,
      label: 'Watch the build',
      agentType: 'general',
      background: true,
      name: 'builder',
    });
    demo.emit(
      { type: 'tool.started', call: 'x' as never, tool: 'Read', subject: 'src/catalog/price.ts', input: {} },
      { session: 'c1', agent: 'explore' },
    );
    demo.emit(
      {
        type: 'tool.started',
        call: 'y' as never,
        tool: 'Bash',
        subject: 'npm run build -- --watch',
        input: {},
      },
      { session: 'c3', agent: 'builder' },
    );
  },
};
