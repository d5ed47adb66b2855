import { describe, expect, test } from 'vitest';
import { scenes } from '../support/demo-scenes.ts';
import { stage } from '../support/stage.ts';

const play = async (name: string, options: Parameters<typeof stage>[0] = {}) => {
  const made = stage(options);
  await made.settle();
  await scenes[name]?.(made.demo);
  await made.settle();
  return made;
};

describe('typing', () => {
  test('what is typed and sent reaches the session, and the prompt is empty again', async () => {
    await using on = await play('empty');
    on.type('fix it\r');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls).toEqual([{ name: 'send', with: 'fix it' }]);
    await on.waitFor('What shall we do?');
  });

  test('what was held before Ink arrives in order', async () => {
    await using on = await play('empty', { held: 'early\rlate' });
    await on.waitFor('❯ late');
    expect(on.demo.calls).toEqual([{ name: 'send', with: 'early' }]);
  });

  test('the cursor stands behind wide characters', async () => {
    await using on = await play('empty');
    on.type('日本👩‍💻x');
    await on.waitFor('x');
    await on.settle();
    expect(on.screen()[on.cursor().row]).toContain('日本');
    expect(on.cursor().column).toBe(2 + 2 + 2 + 2 + 1);
  });

  test('a long paste is folded and sent whole', async () => {
    await using on = await play('empty');
    const long = Array.from({ length: 40 }, (_, n) => `row ${n}`).join('\n');
    on.paste(long);
    await on.waitFor('[Pasted text #1 +40 lines]');
    await on.press('enter');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls[0]?.with).toBe(long);
  });

  test('replies of the terminal are never typed', async () => {
    await using on = await play('empty', { theme: 'auto' });
    on.type('a\x1b]11;rgb:ffff/ffff/ffff\x1b\\b');
    await on.waitFor('❯ ab');
  });

  test('history is searched with ctrl+r', async () => {
    const ports = { history: { recent: async () => ['fix the cart', 'add a test'], add: () => {} } };
    await using on = await play('empty', { ports });
    await on.press('ctrl+r');
    on.type('cart');
    await on.waitFor('❯ fix the cart');
    await on.press('tab');
    await on.waitFor(() => !on.text().includes('search history'));
    expect(on.text()).toContain('❯ fix the cart');
  });

  test('files are offered behind @ and taken with tab', async () => {
    const ports = {
      completions: {
        mentions: async (query: string) =>
          ['src/cart.ts', 'src/cargo.ts']
            .filter((file) => file.includes(query))
            .map((file) => ({ insert: file, label: file })),
      },
    };
    await using on = await play('empty', { ports });
    on.type('see @cart');
    await on.waitFor('❯ src/cart.ts');
    await on.press('tab');
    await on.waitFor('❯ see @src/cart.ts');
  });

  test('a draft is kept as it is typed', async () => {
    const saved: string[] = [];
    await using on = await play('empty', {
      ports: { drafts: { initial: 'from before', save: (text) => saved.push(text) } },
    });
    await on.waitFor('❯ from before');
    on.type('!');
    await on.waitFor(() => saved.includes('from before!'));
  });

  test('ctrl+c interrupts, clears, and leaves when pressed twice', async () => {
    const on = await play('tool');
    await on.press('ctrl+c');
    await on.waitFor('Interrupted');
    expect(on.demo.calls.map((call) => call.name)).toContain('interrupt');
    on.type('draft');
    await on.waitFor('❯ draft');
    await on.press('ctrl+c');
    await on.waitFor('What shall we do?');
    await on.press('ctrl+c', 'ctrl+c');
    expect(await on.exit).toEqual({ reason: 'quit' });
  });

  test('esc esc clears the draft', async () => {
    await using on = await play('empty');
    on.type('draft');
    await on.waitFor('❯ draft');
    await on.press('esc');
    await on.waitFor('esc again to clear');
    await on.press('esc');
    await on.waitFor('What shall we do?');
  });

  test('shift+tab goes through the modes', async () => {
    await using on = await play('empty');
    await on.press('shift+tab');
    await on.waitFor('accept edits');
    await on.press('shift+tab');
    await on.waitFor('plan mode');
    expect(on.demo.calls.map((call) => call.with)).toEqual(['acceptEdits', 'plan']);
  });
});

describe('questions', () => {
  test('yes', async () => {
    await using on = await play('question');
    await on.press('enter');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls[0]?.with).toEqual({ kind: 'permission', behavior: 'allow' });
  });

  test('yes, remembered where the person says', async () => {
    await using on = await play('question');
    await on.press('down', 'right', 'right');
    await on.waitFor('everywhere');
    await on.press('enter');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls[0]?.with).toEqual({
      kind: 'permission',
      behavior: 'allow',
      remember: { rules: ['Bash(rm -rf dist)', 'Bash(npm run build)'], to: 'userSettings' },
    });
  });

  test('no, with words', async () => {
    await using on = await play('question');
    await on.press('3');
    on.type('use make');
    await on.waitFor('use make');
    await on.press('enter');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls[0]?.with).toEqual({ kind: 'permission', behavior: 'deny', comment: 'use make' });
  });

  test('esc says no', async () => {
    await using on = await play('question');
    await on.press('esc');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls[0]?.with).toEqual({ kind: 'permission', behavior: 'deny' });
  });

  test('e explains the decision', async () => {
    await using on = await play('question', { rows: 40 });
    await on.press('e');
    await on.waitFor('How this was decided');
    await on.waitFor('Mode default: what no rule allows is asked.');
    await on.waitFor('allow Bash(git *), project (');
    await on.waitFor('npm run build: asked. No rule allows npm run build.');
    await on.waitFor('These rules would allow it: Bash(rm -rf dist), Bash(npm run build)');
  });

  test('an edit is shown as a diff and can switch the mode', async () => {
    await using on = await play('edit', { rows: 40 });
    await on.waitFor('Math.max(0, round(sum - voucher))');
    await on.press('2');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls[0]?.with).toEqual({ kind: 'permission', behavior: 'allow', mode: 'acceptEdits' });
  });

  test('escapes in a command are shown as they are', async () => {
    await using on = await play('empty');
    void on.demo.ask({
      kind: 'permission',
      call: 'c' as never,
      tool: 'Bash',
      subject: 'ls \x1b[8m; rm -rf ~\x1b[0m\u202e',
      input: {},
      why: { reason: 'r', trace: [], suggestions: [] },
    });
    await on.waitFor('ls \\x1b[8m; rm -rf ~\\x1b[0m<U+202E>');
  });

  test('the end of a long command can be reached, and the answers stay in view', async () => {
    await using on = await play('empty');
    const command = Array.from({ length: 60 }, (_, n) => `echo ${n}`).join('\n');
    void on.demo.ask({
      kind: 'permission',
      call: 'c' as never,
      tool: 'Bash',
      subject: command,
      input: {},
      why: { reason: 'asked', trace: [], suggestions: [] },
    });
    await on.waitFor('more, pgdn');
    expect(on.screen().join('\n')).toContain('1. Yes');
    await on.press(...Array.from({ length: 6 }, () => 'pagedown'));
    await on.waitFor('echo 59');
    expect(on.screen().join('\n')).toContain('1. Yes');
  });

  test('a plan is approved, or sent back with words', async () => {
    await using on = await play('plan');
    await on.waitFor('Round once');
    await on.press('3');
    on.type('smaller steps');
    await on.press('enter');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls[0]?.with).toEqual({ kind: 'plan', decision: 'keep', feedback: 'smaller steps' });
  });

  test('several questions are answered one after the other', async () => {
    await using on = await play('choice');
    await on.press('2');
    await on.waitFor('2 of 2');
    await on.press('space', 'down', 'space', 'down', 'down', 'enter');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls[0]?.with).toEqual({
      kind: 'choice',
      answers: [
        { question: 'Which database should the shop use?', chosen: ['SQLite'] },
        { question: 'What else?', chosen: ['Migrations', 'Seed data'] },
      ],
    });
  });

  test('own words begin with any key, stay in sight, and one can go back', async () => {
    await using on = await play('choice');
    await on.press('1');
    await on.waitFor('2 of 2');
    await on.press('down', 'down');
    on.type('2 just in case');
    await on.press('enter');
    await on.waitFor('3. [x] Something else');
    await on.press('left');
    await on.waitFor('1 of 2');
    await on.press('down', 'down');
    on.type('jk');
    await on.press('enter');
    await on.waitFor('2 just in case');
    await on.press('4');
    await on.waitFor(() => on.demo.calls.length > 0);
    expect(on.demo.calls[0]?.with).toMatchObject({
      answers: [
        { chosen: [], text: 'jk' },
        { chosen: [], text: '2 just in case' },
      ],
    });
  });

  test('a question that comes while typing does not take the keys', async () => {
    await using on = await play('empty');
    on.type('half a tho');
    await on.waitFor('half a tho');
    void on.demo.ask({
      kind: 'confirm',
      title: 'Sure?',
      body: 'Really?',
      options: [{ value: 'y', label: 'Yes' }],
    });
    await on.waitFor('Sure?');
    on.type('1');
    await on.settle();
    expect(on.demo.calls).toEqual([]);
  });

  test('several open questions wait in one list, named by agent', async () => {
    await using on = await play('question');
    void on.demo.ask(
      { kind: 'confirm', title: 'Second', body: '', options: [{ value: 'y', label: 'Yes' }] },
      'explorer',
    );
    await on.waitFor('1 more question waits');
    await on.press('enter');
    await on.waitFor('Second · explorer');
  });
});

describe('lists and pages', () => {
  test('a list is narrowed by typing and answers the value', async () => {
    await using on = await play('empty');
    const picked = on.commands.pick({
      title: 'Model',
      items: [
        { value: 1, label: 'opus' },
        { value: 2, label: 'sonnet', hint: 'now' },
      ],
      preview: async (value) => `number **${value}**`,
    });
    await on.waitFor('number 1');
    on.type('son');
    await on.waitFor('number 2');
    await on.press('enter');
    expect(await picked).toBe(2);
    await on.waitFor('What shall we do?');
  });

  test('a secret is not shown', async () => {
    await using on = await play('empty');
    const key = on.commands.input({ title: 'Key', secret: true });
    await on.waitFor('Key');
    on.paste('sk-secret\n');
    await on.waitFor('•••••••••');
    await on.press('enter');
    expect(await key).toBe('sk-secret');
    expect(on.raw()).not.toContain('sk-secret');
  });

  test('the transcript opens on a page of its own, is searched, and leaves no trace', async () => {
    const transcript = async () =>
      Array.from({ length: 90 }, (_, n) => ({
        type: 'note' as const,
        level: 'info' as const,
        text: `note ${n}`,
        uuid: `${n}`,
        parentUuid: null,
        timestamp: '',
      }));
    await using on = await play('empty', { ports: { transcript } });
    await on.press('ctrl+o');
    await on.waitFor('note 89');
    on.type('/note 12');
    await on.waitFor('note 12');
    await on.press('enter', 'q');
    await on.waitFor('What shall we do?');
    expect(on.text()).not.toContain('note 12');
    expect(on.raw().lastIndexOf('?1049l')).toBeGreaterThan(on.raw().lastIndexOf('?1049h'));
  });

  test('what is typed right behind the key that closes a page goes to the prompt', async () => {
    await using on = await play('empty', { ports: { transcript: async () => [] } });
    await on.press('ctrl+o');
    await on.waitFor('Transcript');
    await on.waitFor('Nothing was said yet.');
    on.type('qnext thing');
    await on.waitFor('❯ next thing');
  });

  test('a page is laid out anew when the window has another width', async () => {
    const words = Array.from({ length: 30 }, (_, n) => `word${n}`).join(' ');
    await using on = await play('empty', { ports: { transcript: async () => [note('n', words)] } });
    await on.press('ctrl+o');
    await on.waitFor('word29');
    on.resize(40, 24);
    await on.waitFor(() => on.screen().filter((row) => row.includes('word')).length > 5);
    expect(on.screen().join('')).toMatch(/word28\s*word29/);
  });
});

const note = (uuid: string, text: string) => ({
  type: 'note' as const,
  level: 'info' as const,
  text,
  uuid,
  parentUuid: null,
  timestamp: '',
});
const watched = (entries: readonly ReturnType<typeof note>[] = []) => {
  const said: string[] = [];
  const stopped: string[] = [];
  return {
    said,
    stopped,
    ports: {
      agents: {
        list: () => [],
        stop: async (id: string) => {
          stopped.push(id);
          return `Stopped ${id}.`;
        },
        steer: async (id: string, text: string) => void said.push(`${id}: ${text}`) as undefined,
      },
      agentTranscript: async () => [...entries],
    },
  };
};

test('an agent of another process is opened, followed by what it stores, and spoken to', async () => {
  const entries = [note('1', 'begins')];
  const { said, ports } = watched(entries);
  const agents = {
    ...ports.agents,
    list: () => [
      {
        id: 'c1' as never,
        type: 'explore',
        label: 'Look',
        status: 'done' as const,
        background: true,
        output: '',
        parent: 'r1' as never,
      },
    ],
  };
  await using on = await play('empty', { ports: { ...ports, agents } });
  await on.press('down');
  await on.waitFor('Agents');
  await on.press('enter');
  await on.waitFor('begins');
  entries.push(note('2', 'goes on'));
  await on.waitFor('goes on');
  on.type('look left');
  await on.waitFor('❯ look left');
  await on.press('enter');
  await on.waitFor('sent: it goes on');
  await on.press('esc');
  await on.waitFor('What shall we do?');
  expect(said).toEqual(['c1: look left']);
});

test('running agents stand in a tree under the prompt; arrows, enter, letters, esc and x open, steer, leave and stop', async () => {
  const { said, stopped, ports } = watched([note('1', 'my task')]);
  await using on = await play('agents', { ports });
  await on.waitFor('builder · Watch the build');
  const rows = () => on.screen().filter((row) => /[○◌!?] (Survey|builder)/.test(row));
  expect(rows().map((row) => row.trim().replace(/ {2,}/g, '  '))).toEqual([
    '○ Survey the catalog  Read src/catalog/price.ts  waited for · 0s',
    '○ Survey the checkout  starting  waited for · 0s',
    '○ builder · Watch the build  Bash npm run build -- --watch  0s',
  ]);
  await on.press('down', 'down', 'down', 'up', 'down');
  await on.waitFor('❯ ○ builder');
  await on.press('enter');
  await on.waitFor('my task');
  const child = { session: 'c3', agent: 'builder' };
  on.demo.emit({ type: 'request.started', model: 'm', contextTokens: 0 }, child);
  on.demo.emit({ type: 'delta', channel: 'text', text: 'It is being written' }, child);
  await on.waitFor('It is being written');
  on.paste('build\nless');
  await on.waitFor('❯ build less');
  await on.press('enter', 'esc');
  await on.waitFor('❯ ○ builder');
  await on.press('x');
  await on.waitFor('Stopped c3.');
  await on.press('esc');
  on.type('xyz');
  await on.waitFor('❯ xyz');
  expect([said, stopped]).toEqual([['c3: build less'], ['c3']]);
});

test('the focus stays in the tree when its agent ends, and what is typed for nobody is dropped', async () => {
  const { stopped, ports } = watched();
  await using on = await play('agents', { ports });
  await on.waitFor('builder · Watch the build');
  const over = { status: 'done' as const, text: '', ms: 1, toolCalls: 0, tokens: 0 };
  await on.press('down', 'down');
  await on.waitFor('❯ ○ Survey the checkout');
  on.demo.emit({ type: 'agent.finished', child: 'c2' as never, ...over });
  await on.waitFor('❯ ○ builder');
  for (const child of ['c1', 'c3']) on.demo.emit({ type: 'agent.finished', child: child as never, ...over });
  await on.waitFor(() => !on.screen().some((row) => row.includes('○ builder')));
  await on.press('x');
  on.type('after');
  await on.waitFor('❯ after');
  expect(stopped).toEqual([]);
});

describe('what was done', () => {
  const read = (path: string, lines: number) => ({
    display: { kind: 'code' as const, path, summary: `${lines} lines`, body: 'x' },
  });

  test('calls of few words stand one under the other, a longer one apart', async () => {
    await using on = await play('empty', { columns: 60 });
    on.demo.turn();
    for (const name of ['a', 'b']) {
      on.demo.tool(name, 'Read', `${name}.ts`);
      on.demo.toolDone(name, 'Read', read(`${name}.ts`, 3));
    }
    on.demo.tool('c', 'Bash', 'ls');
    on.demo.toolDone('c', 'Bash', { text: 'a.ts\nb.ts' });
    on.demo.tool('d', 'Read', 'd.ts');
    on.demo.toolDone('d', 'Read', read('d.ts', 4));
    on.demo.done();
    await on.waitFor('4 lines');
    await on.settle();
    const rows = on.text().split('\n');
    const at = rows.findIndex((row) => row.includes('a.ts'));
    expect(rows.slice(at - 1, at + 9)).toEqual([
      '',
      '● Read a.ts  3 lines',
      '● Read b.ts  3 lines',
      '',
      '● Bash ls',
      '  └ a.ts',
      '    b.ts',
      '',
      '● Read d.ts  4 lines',
      '',
    ]);
  });

  test('a failed command shows where it failed: its end', async () => {
    await using on = await play('empty');
    on.demo.turn();
    on.demo.tool('a', 'Bash', 'npm test');
    on.demo.toolDone('a', 'Bash', {
      status: 'error',
      display: {
        kind: 'text',
        summary: 'exit code 1',
        body: Array.from({ length: 40 }, (_, n) => `row ${n}`).join('\n'),
        failed: true,
      },
    });
    on.demo.done();
    await on.waitFor('row 39');
    expect(on.text()).toContain('… +29 lines (ctrl+o)');
    expect(on.text()).not.toContain('row 15');
  });

  test('a typed command that becomes a prompt is shown once, as it was typed', async () => {
    const review = { name: 'review', description: 'looks', source: 'project' as const };
    const slash = {
      list: () => [review],
      find: () => review,
      run: async () => {
        on.demo.entry({
          type: 'user',
          content: [{ type: 'text', text: 'All the words of the skill.' }],
          origin: { kind: 'person' },
          display: '/review src',
        });
        return true;
      },
    };
    await using on = await play('empty', { ports: { slash } });
    on.type('/review src\r');
    await on.waitFor('❯ /review src');
    await on.settle();
    expect(on.text().split('/review src')).toHaveLength(2);
    expect(on.text()).not.toContain('All the words');
  });
});

describe('the terminal', () => {
  test('finished turns stand in the scrollback once', async () => {
    await using on = await play('long');
    for (const n of [0, 7, 15, 29]) expect(on.text().split(`Paragraph ${n}:`).length - 1).toBe(1);
    expect(on.text()).toContain('… +396 lines (ctrl+o)');
  });

  test('is given back as it was found', async () => {
    const on = await play('tool');
    on.commands.exit();
    await on.exit;
    await on.settle();
    for (const mode of ['?25', '?2004', '?2026']) {
      const on_ = mode === '?25' ? 'l' : 'h';
      const off = mode === '?25' ? 'h' : 'l';
      expect(on.raw().lastIndexOf(`\x1b[${mode}${off}`), mode).toBeGreaterThan(
        on.raw().lastIndexOf(`\x1b[${mode}${on_}`),
      );
    }
  });

  test('untrusted text cannot act on it', async () => {
    await using on = await play('empty');
    on.demo.turn();
    on.demo.tool('1', 'Bash', 'evil\x1b]0;owned\x07 \x1b[2J');
    on.demo.toolDone('1', 'Bash', { text: 'out\x1b]52;c;aGk=\x07put\x1b[31m\rover' });
    on.demo.entry({ type: 'note', level: 'info', text: 'n\x9b2Jote' });
    await on.demo.say('an\x1b[Hswer\x1b]8;;http://x\x1b\\');
    on.demo.replied('an\x1b[Hswer\x1b]8;;http://x\x1b\\');
    on.demo.done();
    await on.waitFor('note');
    await on.settle();
    for (const bad of ['\x1b]0;owned', '\x1b]52', '\x1b[2J', '\x9b', '\x1b]8'])
      expect(on.raw()).not.toContain(bad);
    expect(on.text()).toContain('output␍over');
  });

  test('without colour nothing is coloured', async () => {
    await using on = await play('diff', { level: 0 });
    expect(on.raw()).not.toMatch(/\x1b\[[0-9;]*(3[0-8]|4[0-8]|9[0-7])[0-9;]*m/);
    expect(on.text()).toContain('15 -');
  });
});
