import type { Line, ModelServer } from '../support/model-server.ts';
import type { Received } from '../support/received.ts';
import { type Gate, overloaded, pauseAfter, reply, say, status, think, use } from '../support/replies.ts';
import * as words from './words.ts';

const edit = (file_path: string, old_string: string, new_string: string) =>
  use('Edit', { file_path, old_string, new_string });

/** The model's side of the day, turn by turn; `held` stops the long answer half way until it opens. */
export const dayScript = (held: Gate): readonly Line[] => [
  // 1: a question
  [
    think('They want to understand the flow. I should look at the entry point and the loop, then explain.'),
    say('I’ll follow one key through the code.'),
    use('Grep', { pattern: 'submit\\(', path: 'src/front', output_mode: 'files_with_matches' }),
    use('Read', { file_path: 'src/app/entry.ts' }),
    use('Read', { file_path: 'src/loop/turn.ts', limit: 60 }),
    use('Glob', { pattern: 'src/loop/*.ts' }),
  ],
  pauseAfter(reply(say(words.tour), { perSecond: 400, chunk: 40 }), 40, held),
  // 2: a repair
  [
    say('The limit grows with the longer of both names. Let me see.'),
    use('Read', { file_path: 'src/lib/near-names.ts' }),
  ],
  edit(
    'src/lib/near-names.ts',
    '    .filter((one) => one.far <= Math.max(1, Math.floor(Math.max(wish.length, one.name.length) / 3)))\n',
    '    .filter((one) => one.far <= reach(wish, one.name))\n',
  ),
  edit(
    'src/lib/near-names.ts',
    '/** The names a wrong one may have meant, the nearest first, at most three. */\n',
    '/** How many slips are forgiven: one in short names, a third of the letters in long ones. */\nconst reach = (wish: string, name: string): number =>\n  Math.max(1, Math.floor(Math.max(wish.length, name.length) / 3));\n\n/** The names a wrong one may have meant, the nearest first, at most three. */\n',
  ),
  say(
    '`nearNames` reads better now: the limit has a name of its own, `reach`, and a sentence that says why.',
  ),
  // 3: a test that fails, then passes, with tasks
  [
    use('TaskCreate', {
      subject: 'Write tests for nearNames',
      description: 'Swaps and parts',
      activeForm: 'Writing tests',
    }),
    use('TaskCreate', {
      subject: 'Make them pass',
      description: 'Mend what they find',
      activeForm: 'Mending',
    }),
  ],
  use('TaskUpdate', { taskId: '1', status: 'in_progress' }),
  use('Write', { file_path: 'test/near-names.test.mjs', content: words.test }),
  use('Bash', { command: 'node --test test/near-names.test.mjs', description: 'Run the new tests' }),
  [
    say('One expectation of mine was wrong: `git:status` is nearer than `stats`.'),
    edit(
      'test/near-names.test.mjs',
      "['git:status', 'stats']), ['stats', 'git:status']",
      "['git:status', 'stats']), ['git:status', 'stats']",
    ),
  ],
  [
    use('TaskUpdate', { taskId: '1', status: 'completed' }),
    use('TaskUpdate', { taskId: '2', status: 'in_progress' }),
    use('Bash', { command: 'node --test test/near-names.test.mjs', description: 'Run them again' }),
  ],
  use('TaskUpdate', { taskId: '2', status: 'completed' }),
  say(
    'Both tests pass.\n\n- `test/near-names.test.mjs` covers swaps and parts of names.\n- Nothing else changed.',
  ),
  // 4: long output and a table
  [
    use('Bash', {
      command: "find src -name '*.ts*' | sort | xargs wc -l",
      description: 'Count the lines of every file',
    }),
  ],
  say(words.table),
  // 5: an error with retries, then an answer
  status(429, { retryAfter: 3, message: 'Number of requests has exceeded your per-minute rate limit' }),
  overloaded(),
  use('Bash', { command: 'node scripts/check-sizes.mjs; git status --short; exit 1' }),
  say('All files are within their limits. The only changes are ours.'),
  // 6: plan mode
  [say('I’ll look before I plan.'), use('Read', { file_path: 'src/lib/near-names.ts', offset: 20 })],
  use('ExitPlanMode', { plan: words.plan }),
  edit(
    'src/lib/near-names.ts',
    'readonly string[] =>\n  [...new Set(names)]',
    'readonly string[] =>\n  [...new Set(wish.length < 2 ? [] : names)]',
  ),
  say('Done as planned: one letter suggests nothing.'),
  // 7: agents
  [
    say('Two agents can look at both halves at once.'),
    use('Agent', {
      description: 'Survey unused exports',
      prompt: 'SURVEY src/lib for exports nobody uses',
      subagent_type: 'explore',
    }),
    use('Agent', {
      description: 'Survey unused files',
      prompt: 'SURVEY src/store for files nobody imports',
      subagent_type: 'explore',
    }),
  ],
  say(
    'Neither agent found anything that is unused:\n\n1. every export of `src/lib` has a reader,\n2. every file of `src/store` is imported.',
  ),
  // 8: questions
  use('AskUserQuestion', {
    questions: [
      {
        question: 'How should one letter be treated in completions?',
        header: 'One letter',
        multiSelect: false,
        options: [
          {
            label: 'Suggest nothing (Recommended)',
            description: 'As in nearNames: a single letter is near to everything',
          },
          {
            label: 'Suggest by prefix',
            description: 'Only names that begin with the letter, the most used first',
          },
        ],
      },
      {
        question: 'Which places should follow?',
        header: 'Places',
        multiSelect: true,
        options: [
          { label: 'Slash commands', description: 'The menu that opens with /' },
          { label: 'Files', description: 'Completion of @ mentions' },
          { label: 'Settings', description: 'Unknown keys in settings.json' },
        ],
      },
    ],
  }),
  say('Noted: nothing for one letter, in slash commands and in settings.'),
  say('The working tree holds our two changes and nothing else.'),
  // 9: wide characters, after what was typed ahead
  say(words.wide),
  // 10: after the compaction and the resume
  say('Where we were: files that nobody imports. There are none.'),
];

/** What the two agents do while their parent waits, and what the summary of a compaction says. */
export const dayLanes = (server: ModelServer): void => {
  const survey = (folder: string, pattern: string, found: string): void => {
    const mine = ({ body }: Received) => JSON.stringify(body.messages[0]).includes(`SURVEY ${folder}`);
    server.lane(
      mine,
      use('Grep', { pattern, path: folder, output_mode: 'count' }),
      use('Read', { file_path: `${folder}/${folder === 'src/lib' ? 'near-names' : 'disk'}.ts` }),
      say(found),
    );
  };
  survey('src/lib', '^export', 'Every export of `src/lib` has a reader.');
  survey('src/store', '^import', 'Every file of `src/store` is imported.');
  server.lane(({ prompt }) => prompt.includes('Write a summary of this conversation'), say(words.summary));
};
