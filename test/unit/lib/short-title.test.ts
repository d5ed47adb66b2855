import { expect, it } from 'vitest';
import { shortTitle } from '../../../src/lib/short-title.ts';

it.each<[prompt: string, title: string | undefined]>([
  ['fix the roof\nsoon', 'Fix the roof'],
  ['Hi! Could you please fix the login test?', 'Fix the login test?'],
  ['please', 'Please'],
  ['hello', 'Hello'],
  ['/review src', '/review src'],
  ['## Task\n\nMake it faster', 'Task'],
  ['```ts\nconst a = 1;\n```\nWhat does this do?', 'What does this do?'],
  ['see @a.ts\n\n<attached path="/a.ts">\nlong\n</attached>', 'See @a.ts'],
  [
    'The cart total is a cent off. Find out why and fix it, then write a test for it.',
    'The cart total is a cent off',
  ],
  [
    'Explain how the permission engine decides about commands that are nested in other commands and pipes',
    'Explain how the permission engine decides about commands…',
  ],
  ['日本語で説明してください', '日本語で説明してください'],
  ['x'.repeat(200), `X${'x'.repeat(58)}…`],
  ['👩‍💻👩‍💻', undefined],
  ['   \n', undefined],
  ['', undefined],
])('%j', (prompt, title) => {
  expect(shortTitle(prompt)).toBe(title);
});
