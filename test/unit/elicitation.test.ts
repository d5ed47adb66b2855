import { expect, test } from 'vitest';
import { elicit } from '../../src/app/elicitation.ts';
import type { Answer, ChoiceQuestion, Question } from '../../src/contract/ask.ts';

type Given = { readonly chosen?: readonly string[]; readonly text?: string };

/** Asks with one list of answers after the other; keeps the questions. */
const form = async (
  properties: Readonly<Record<string, unknown>>,
  rounds: readonly (readonly Given[])[],
  required: readonly string[] = [],
) => {
  const asked: (readonly ChoiceQuestion[])[] = [];
  const ask = async (question: Question): Promise<Answer | undefined> => {
    if (question.kind !== 'choice') throw new Error('expected a form');
    asked.push(question.questions);
    const round = rounds[asked.length - 1];
    return (
      round && {
        kind: 'choice',
        answers: question.questions.map((one, at) => ({
          question: one.question,
          chosen: round[at]?.chosen ?? [],
          ...(round[at]?.text === undefined ? {} : { text: round[at]?.text }),
        })),
      }
    );
  };
  const signal = new AbortController().signal;
  const schema = { type: 'object', properties, required };
  return { answer: await elicit('srv', { message: 'Hello', schema }, ask, signal), asked };
};

test.each<[string, unknown, Given, unknown]>([
  ['words', { type: 'string' }, { text: 'Ada' }, 'Ada'],
  ['a number', { type: 'number' }, { text: '1.5' }, 1.5],
  ['a whole number', { type: 'integer' }, { text: '7' }, 7],
  ['yes', { type: 'boolean' }, { chosen: ['yes'] }, true],
  ['no', { type: 'boolean' }, { chosen: ['no'] }, false],
  ['one of several', { type: 'string', enum: ['a', 'b'] }, { chosen: ['b'] }, 'b'],
  [
    'one by its old title',
    { type: 'string', enum: ['a', 'b'], enumNames: ['Ah', 'Bee'] },
    { chosen: ['Bee'] },
    'b',
  ],
  ['one by its title', { type: 'string', oneOf: [{ const: 'r', title: 'Red' }] }, { chosen: ['Red'] }, 'r'],
  ['several', { type: 'array', items: { enum: ['a', 'b', 'c'] } }, { chosen: ['a', 'c'] }, ['a', 'c']],
  [
    'several by title',
    {
      type: 'array',
      items: {
        anyOf: [
          { const: 'x', title: 'Ex' },
          { const: 'y', title: 'Why' },
        ],
      },
    },
    { chosen: ['Ex', 'Why'] },
    ['x', 'y'],
  ],
  ['the usual', { type: 'integer', default: 42 }, {}, 42],
  ['the usual ones', { type: 'array', items: { enum: ['a', 'b'] }, default: ['b'] }, {}, ['b']],
  [
    'a title as default',
    { type: 'string', enum: ['a'], enumNames: ['Ah'], default: 'a' },
    { chosen: ['Ah'] },
    'a',
  ],
])('%s', async (_what, property, given, value) => {
  const { answer } = await form({ field: property }, [[given]]);
  expect(answer).toEqual({ action: 'accept', content: { field: value } });
});

test.each<[string, unknown, string, RegExp, string, unknown]>([
  ['no number', { type: 'number' }, 'many', /"many" is no number/, '3', 3],
  ['half of a whole number', { type: 'integer' }, '1.5', /no whole number/, '2', 2],
  ['too much', { type: 'integer', minimum: 1, maximum: 9 }, '10', /at least 1, at most 9/, '9', 9],
  ['too short', { type: 'string', minLength: 3 }, 'ab', /2 characters, not at least 3/, 'abc', 'abc'],
  ['no address', { type: 'string', format: 'email' }, 'me', /no email/, 'me@example.org', 'me@example.org'],
  [
    'no link',
    { type: 'string', format: 'uri' },
    'there',
    /no uri/,
    'https://example.org',
    'https://example.org',
  ],
  ['no day', { type: 'string', format: 'date' }, 'soon', /no date/, '2026-02-27', '2026-02-27'],
  ['none of them', { type: 'string', enum: ['a', 'b'] }, 'c', /none of a, b/, 'a', 'a'],
])('%s is asked again with the reason', async (_what, property, wrong, reason, right, value) => {
  const { answer, asked } = await form({ field: property }, [[{ text: wrong }], [{ text: right }]]);
  expect(asked[1]?.[0]?.question).toMatch(reason);
  expect(answer).toEqual({ action: 'accept', content: { field: value } });
});

test('only what did not fit is asked again; what may be left empty is left out', async () => {
  const { answer, asked } = await form(
    { name: { type: 'string' }, age: { type: 'integer' }, note: { type: 'string' } },
    [[{ text: 'Ada' }, { text: 'old' }, {}], [{ text: '36' }]],
    ['name', 'age'],
  );
  expect(asked.map((round) => round.map(({ header }) => header))).toEqual([['name', 'age', 'note'], ['age']]);
  expect(asked[0]?.map(({ mayBeEmpty }) => mayBeEmpty)).toEqual([undefined, undefined, true]);
  expect(answer).toEqual({ action: 'accept', content: { name: 'Ada', age: 36 } });
});

test('leaving is a cancel, a bare message a yes or no', async () => {
  expect((await form({ name: { type: 'string' } }, [])).answer).toEqual({ action: 'cancel' });
  const bare = async (value: string) =>
    elicit(
      'srv',
      { message: 'Sure?', schema: {} },
      async () => ({ kind: 'confirm', value }),
      new AbortController().signal,
    );
  expect(await bare('accept')).toEqual({ action: 'accept', content: {} });
  expect(await bare('decline')).toEqual({ action: 'decline' });
});
