/** The screen on a scripted session, as a program: scenes for tests and for looking at. `demo-screen SCENE`. */
import { appendFileSync } from 'node:fs';
import type { ScreenFacts, SlashEntry, TaskRow } from '../../src/contract/screen.ts';
import { runScreen } from '../../src/front/ui/run.tsx';
import { colorLevel, type ThemeName } from '../../src/front/ui/theme.ts';
import { scenes } from './demo-scenes.ts';
import { demoSession } from './demo-session.ts';

const commandsHere: readonly SlashEntry[] = [
  { name: 'help', description: 'what Coppice can do', source: 'builtin', instant: true },
  {
    name: 'compact',
    description: 'make room in the conversation',
    argumentHint: '[focus]',
    source: 'builtin',
  },
  { name: 'clear', aliases: ['new', 'reset'], description: 'begin again', source: 'builtin' },
  { name: 'context', description: 'what fills the window', source: 'builtin' },
  { name: 'config', description: 'settings', argumentHint: '[key=value]', source: 'builtin' },
  { name: 'model', description: 'choose a model', argumentHint: '[name]', source: 'builtin' },
  { name: 'theme', description: 'choose colours', source: 'builtin' },
  { name: 'release', description: 'prepare a release', source: 'project' },
  { name: 'exit', aliases: ['quit'], description: 'leave', source: 'builtin' },
];

const [scene = 'day', theme = 'dark'] = process.argv.slice(2);
const demo = demoSession();
const facts = (): ScreenFacts => ({
  model: 'Sonnet 4.5',
  branch: 'main',
  directory: '~/shop',
  mode: demo.session.state().mode,
  modes: ['default', 'acceptEdits', 'plan'],
  contextShare: 0.23,
  cost: '$0.12',
});
const files = [
  'src/cart.ts',
  'src/checkout.ts',
  'src/catalog/price.ts',
  'test/cart.test.ts',
  'README.md',
  'package.json',
];
const row = (
  id: string,
  subject: string,
  status: TaskRow['status'],
  more: Partial<TaskRow> = {},
): TaskRow => ({
  id,
  subject,
  status,
  waitsFor: [],
  mine: false,
  ...more,
});
const tasks: readonly TaskRow[] = [
  row('1', 'Find where the total is rounded', 'completed', { owner: 'ann', startedAt: 0, endedAt: 84_000 }),
  row('2', 'Round once, at the end', 'in_progress', { activeForm: 'Rounding once', mine: true }),
  row('3', 'Add a test for vouchers', 'pending', { waitsFor: ['2'] }),
];
const log = process.env.DEMO_LOG;
const screen = runScreen({
  session: demo.session,
  cwd: '/home/ada/shop',
  stdin: process.stdin,
  stdout: process.stdout,
  version: '0.1.0',
  theme: theme as ThemeName,
  color: { level: colorLevel(process.env), links: false, background: 'dark' },
  facts,
  ports: {
    history: {
      recent: async () => ['fix the rounding in the cart', 'add a test for vouchers', '!git status'],
      add: () => {},
    },
    completions: {
      mentions: async (query) =>
        files.filter((file) => file.includes(query)).map((file) => ({ insert: file, label: file })),
    },
    slash: {
      find: (name) => commandsHere.find((entry) => entry.name === name || entry.aliases?.includes(name)),
      list: () => commandsHere,
      async run(line, commands) {
        if (line.startsWith('/model')) {
          const chosen = await commands.pick({
            title: 'Model',
            items: [
              ['opus', 'Opus 4.5', 'large'],
              ['sonnet', 'Sonnet 4.5', 'medium · now'],
              ['haiku', 'Haiku 4.5', 'small'],
            ].map(([value, label, hint]) => ({ value, label: label ?? '', hint })),
            preview: async (value) => `**${value}**\n\nA model of the ${value} line, for work of its size.`,
          });
          commands.print(`Model: **${chosen ?? 'unchanged'}**`);
        } else if (line.startsWith('/theme')) commands.setTheme(line.split(' ')[1] ?? 'light');
        else if (line === '/exit') commands.exit();
        else await commands.panel('Help', '# Help\n\nType and press enter.\n\n- one\n- two');
        return true;
      },
    },
    shell: async () => undefined,
    transcript: async () => [
      {
        type: 'user',
        content: [{ type: 'text', text: 'fix the rounding' }],
        origin: { kind: 'person' },
        uuid: 'a',
        parentUuid: null,
        timestamp: '',
      },
      ...Array.from({ length: 60 }, (_, n) => ({
        type: 'note' as const,
        level: 'info' as const,
        text: `row ${n}`,
        uuid: `n${n}`,
        parentUuid: null,
        timestamp: '',
      })),
    ],
    tasks: {
      follow(tell) {
        tell({ tasks, problems: [] });
        return () => undefined;
      },
      show: async (id) => `**${id}** in full`,
      cancel: async (id) => ({ text: `Task ${id} is cancelled.` }),
    },
  },
});
demo.onSend = (text) => {
  if (log) appendFileSync(log, `${JSON.stringify({ sent: text })}\n`);
};
void scenes[scene]?.(demo);
const { reason } = await screen.exit;
if (log) appendFileSync(log, `${JSON.stringify({ exit: reason, calls: demo.calls })}\n`);
process.stdout.write(`left: ${reason}\n`);
process.exit(0);
