import { expect, test } from 'vitest';
import { understand, type Wish } from '../../src/practice/understand.ts';

const rows: [request: string, wish: Wish][] = [
  ['look around', { kind: 'look' }],
  ['What is in this project?', { kind: 'look' }],
  ['list the files', { kind: 'look' }],
  ['ls', { kind: 'look' }],
  ['please read README.md', { kind: 'read', file: 'README.md' }],
  ['show me the file "src/a b.ts".', { kind: 'read', file: 'src/a b.ts' }],
  ['Can you open @src/index.ts?', { kind: 'read', file: 'src/index.ts' }],
  ['search TODO', { kind: 'search', text: 'TODO' }],
  ['search for "two words"', { kind: 'search', text: 'two words' }],
  ['find the word needle', { kind: 'search', text: 'needle' }],
  ['where is createServer?', { kind: 'search', text: 'createServer' }],
  ['run npm test', { kind: 'run', command: 'npm test' }],
  ['run `git status --short`', { kind: 'run', command: 'git status --short' }],
  ['execute the command ls -la | head -3', { kind: 'run', command: 'ls -la | head -3' }],
  ['change foo to bar in src/a.ts', { kind: 'replace', before: 'foo', after: 'bar', file: 'src/a.ts' }],
  ['replace "a to b" with "" in x.txt.', { kind: 'replace', before: 'a to b', after: '', file: 'x.txt' }],
  ['create notes.txt with hello there', { kind: 'create', file: 'notes.txt', content: 'hello there' }],
  [
    'create a new file called "my notes.md" containing "# Hi"',
    { kind: 'create', file: 'my notes.md', content: '# Hi' },
  ],
  ['write a file dir/a', { kind: 'create', file: 'dir/a', content: '' }],
  ['ask me a question', { kind: 'question' }],
  ['plan something', { kind: 'plan', goal: '' }],
  ['plan a new home page', { kind: 'plan', goal: 'new home page' }],
  ['make a plan to tidy up.', { kind: 'plan', goal: 'tidy up' }],
  ['make a task list', { kind: 'tasks', goal: '' }],
  ['make a to-do list for the release', { kind: 'tasks', goal: 'the release' }],
  ['send an agent to look around', { kind: 'agent' }],
  ['what can you do?', { kind: 'help' }],
  ['hello', { kind: 'help' }],
  ['prove the Riemann hypothesis', { kind: 'unknown' }],
  ['', { kind: 'unknown' }],
];

test.each(rows)('%j', (request, wish) => {
  expect(understand(request)).toEqual(wish);
});
