import type { Step, Talk } from './conversation.ts';
import { agentWords, answers, entriesOf, linesOf, plainLines, taskLines } from './results.ts';
import { abilities, understand, type Wish } from './understand.ts';

/** A call the practice model wants to make. */
export interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One reply: words, then calls; no calls means it is done. */
export interface Move {
  readonly text: string;
  readonly calls: readonly Call[];
}

export const LABEL = 'Practice model: offline, no language model.';

const say = (text: string): Move => ({ text, calls: [] });
const use = (text: string, ...calls: Call[]): Move => ({ text, calls });

const abilityList = (): string =>
  abilities.map(([example, effect]) => `- \`${example}\`: ${effect}`).join('\n');

const help = (): Move =>
  say(
    `I am the practice model: offline, no language model. I do not understand text in general, but I really use the tools here, so that you can see how Coppice works. Say one of these:\n\n${abilityList()}\n\nFor real answers, point Coppice at a model: set \`ANTHROPIC_API_KEY\`, or \`ANTHROPIC_BASE_URL\` for a local server.`,
  );

const unknown = (): Move => say(`${LABEL} I do not understand that. What I can do:\n\n${abilityList()}`);

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const fenced = (lines: readonly string[]): string => ['```', ...lines, '```'].join('\n');

const refusedBy = (step: Step): Move =>
  say(`That did not work. ${step.tool} answered:\n\n${fenced(linesOf(step.text).slice(0, 12))}`);

/** The wish, met step by step: what was found so far decides the next move. */
export const nextMove = (talk: Talk, offered: ReadonlySet<string>): Move => {
  const wish = understand(talk.request);
  const last = talk.steps.at(-1);
  if (last?.failed && wish.kind !== 'plan') return refusedBy(last);
  switch (wish.kind) {
    case 'look':
      return look(talk.steps, offered);
    case 'read':
      return last ? readAnswer(wish.file, last) : use(`I read ${wish.file}.`, readCall(wish.file));
    case 'search':
      return last
        ? searchAnswer(wish.text, last)
        : use(`I search for "${wish.text}".`, searchCall(wish.text));
    case 'run':
      return last ? runAnswer(wish.command, last) : use(`I run \`${wish.command}\`.`, runCall(wish.command));
    case 'replace':
      return replace(wish, talk.steps);
    case 'create':
      return last
        ? say(`${wish.file} is written.`)
        : use(`I write ${wish.file}.`, createCall(wish.file, wish.content));
    case 'question':
      return question(last);
    case 'plan':
      return plan(wish.goal, talk.steps, offered);
    case 'tasks':
      return tasks(wish.goal, talk.steps);
    case 'agent':
      return last
        ? say(`The agent came back. It says:\n\n${agentWords(last.text, LABEL)}`)
        : use('I send an agent to look around.', {
            tool: 'AgentTool',
            input: { description: 'Look around the project', prompt: 'look around' },
          });
    case 'ran':
      return say(
        `You ran \`${wish.command}\`; a language model would now say something about what it printed.`,
      );
    case 'help':
      return help();
    case 'unknown':
      return unknown();
  }
};

const readCall = (file: string): Call => ({ tool: 'Read', input: { file_path: file } });
const searchCall = (text: string): Call => ({
  tool: 'Grep',
  input: { pattern: text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), output_mode: 'content', '-n': true },
});
const runCall = (command: string): Call => ({
  tool: 'Bash',
  input: { command, description: 'The command you asked for' },
});
const createCall = (file: string, content: string): Call => ({
  tool: 'Write',
  input: { file_path: file, content: `${content || 'Written by the practice model.'}\n` },
});

/** Files and folders at the top; where there is no shell, the newest files anywhere. */
const listCall = (offered: ReadonlySet<string>): Call =>
  offered.has('Bash')
    ? { tool: 'Bash', input: { command: 'ls -p', description: 'List what is here' } }
    : { tool: 'Glob', input: { pattern: '*' } };

const look = (steps: readonly Step[], offered: ReadonlySet<string>): Move => {
  const [listed, read] = steps;
  if (!listed) return use('I look at what is here.', listCall(offered));
  const entries = entriesOf(listed.text);
  if (entries.length === 0) return say('There are no files here yet. Try `create hello.txt with Hello!`.');
  const readme = entries
    .filter((entry) => /(^|\/)readme(\.\w+)?$/i.test(entry.trim()))
    .toSorted((one, other) => one.length - other.length)[0];
  if (readme && !read) return use('There is a README; I read it.', readCall(readme.trim()));
  const heading = read && plainLines(read.text).find((line) => line.startsWith('#'));
  const about = heading ? `The README calls it "${heading.replace(/^#+\s*/, '')}". ` : '';
  const folders = entries.filter((entry) => entry.endsWith('/'));
  const files = entries.filter((entry) => !entry.endsWith('/'));
  const counted = [
    ...(folders.length > 0 ? [count(folders.length, 'folder')] : []),
    ...(files.length > 0 ? [count(files.length, 'file')] : []),
  ].join(' and ');
  const shown = [...folders, ...files].slice(0, 20);
  const rest = entries.length > shown.length ? [`and ${entries.length - shown.length} more`] : [];
  return say(`${about}I see ${counted}:\n\n${fenced([...shown, ...rest])}`);
};

const readAnswer = (file: string, { text }: Step): Move => {
  const lines = plainLines(text);
  if (lines.length === 0) return say(`${file}: ${text}`);
  return say(`I read ${count(lines.length, 'line')} of ${file}. It begins:\n\n${fenced(lines.slice(0, 5))}`);
};

const searchAnswer = (text: string, step: Step): Move => {
  const lines = entriesOf(step.text);
  const hits = lines.filter((line) => /^(?:[^:]*:)?\d+:/.test(line)).length;
  if (hits === 0) return say(`I found no "${text}" here.`);
  return say(`"${text}" stands in ${count(hits, 'line')}:\n\n${fenced(lines.slice(0, 12))}`);
};

const runAnswer = (command: string, { text }: Step): Move => {
  const lines = linesOf(text).filter((line) => line !== '(no output)');
  if (lines.length === 0) return say(`\`${command}\` ran and printed nothing.`);
  return say(
    `\`${command}\` printed ${count(lines.length, 'line')}. The last:\n\n${fenced(lines.slice(-5))}`,
  );
};

const replace = (
  { file, before, after }: Extract<Wish, { kind: 'replace' }>,
  steps: readonly Step[],
): Move => {
  const [read, edit] = steps;
  if (!read) return use(`I read ${file} first.`, readCall(file));
  if (!plainLines(read.text).join('\n').includes(before))
    return say(`${file} does not contain "${before}", so I change nothing.`);
  if (edit) return say(`In ${file}, "${before}" is now "${after}".`);
  return use(`I change "${before}" to "${after}".`, {
    tool: 'Edit',
    input: { file_path: file, old_string: before, new_string: after },
  });
};

const question = (last: Step | undefined): Move => {
  if (last)
    return say(
      `Thank you. You answered:\n\n${answers(last.text)
        .map((line) => `- ${line}`)
        .join('\n')}`,
    );
  const options = [
    { label: 'Tea', description: 'Leaves and patience' },
    { label: 'Coffee', description: 'Beans and haste' },
    { label: 'Water', description: 'Neither' },
  ];
  const asked = { question: 'What would you like to drink?', header: 'Drink', options, multiSelect: false };
  return use('I have a question for you.', { tool: 'AskUserQuestion', input: { questions: [asked] } });
};

const PLAN_FILE = 'practice-plan.md';

const plan = (wanted: string, steps: readonly Step[], offered: ReadonlySet<string>): Move => {
  const goal = wanted || 'a note about this practice';
  const done = (tool: string) => steps.find((step) => step.tool === tool);
  // In plan mode already: there is nothing to enter.
  const outside = offered.has('EnterPlanModeTool') && !done('EnterPlanModeTool');
  if (outside)
    return use('I go into plan mode: nothing will be changed before you agree.', {
      tool: 'EnterPlanModeTool',
      input: {},
    });
  if (!done('Glob') && !done('Bash')) return use('I look at what is here.', listCall(offered));
  const put = done('ExitPlanModeTool');
  if (!put) {
    const text = `# Plan: ${goal}\n\n1. Write down the goal in ${PLAN_FILE}.\n2. Show it to you.\n\n## Files\n\n- ${PLAN_FILE}\n`;
    return use('Here is my plan.', { tool: 'ExitPlanModeTool', input: { plan: text } });
  }
  if (put.failed) return say(`The plan was not accepted, so I change nothing. I was told:\n\n${put.text}`);
  const written = done('Write');
  if (!written) return use('You agreed; I carry it out.', createCall(PLAN_FILE, `Goal: ${goal}`));
  return written.failed
    ? refusedBy(written)
    : say(`The plan is carried out: the goal stands in ${PLAN_FILE}.`);
};

const TASK_SUBJECTS = ['Look at what is here', 'Do the work', 'Check the result'] as const;
const TASK_FORMS = ['Looking at what is here', 'Doing the work', 'Checking the result'] as const;

const tasks = (wanted: string, steps: readonly Step[]): Move => {
  const goal = wanted || 'a practice run';
  const made = steps.filter(({ tool }) => tool === 'TaskCreateTool');
  if (made.length === 0) {
    const calls = TASK_SUBJECTS.map((subject, at) => ({
      tool: 'TaskCreateTool',
      input: { subject, description: `${subject}, for ${goal}.`, activeForm: TASK_FORMS[at] },
    }));
    return use('I make a list of three tasks.', ...calls);
  }
  const ids = made.flatMap(
    ({ text }) => /"id"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? /#?(\d+)/.exec(text)?.[1] ?? [],
  );
  const updates = steps.filter(({ tool }) => tool === 'TaskUpdateTool').length;
  const id = ids[Math.floor(updates / 2)];
  if (id !== undefined) {
    const status = updates % 2 === 0 ? 'in_progress' : 'completed';
    const words = status === 'in_progress' ? `I begin task ${id}.` : `Task ${id} is done.`;
    return use(words, { tool: 'TaskUpdateTool', input: { taskId: id, status } });
  }
  const listed = steps.find(({ tool }) => tool === 'TaskListTool');
  if (!listed) return use('I look at the list.', { tool: 'TaskListTool', input: {} });
  return say(`The list is worked through:\n\n${taskLines(listed.text)}`);
};
