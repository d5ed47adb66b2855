import { expect, it } from 'vitest';
import { checkSettings } from '../../../src/settings/check.ts';
import { settingsJsonSchema } from '../../../src/settings/schema.ts';

it.each<[string, unknown, unknown, readonly (readonly [string, string, string])[]]>([
  ['nothing wrong', { model: 'x', verbose: true }, { model: 'x', verbose: true }, []],
  ['a wrong scalar', { model: 3, theme: 'dark' }, { theme: 'dark' }, [['model', '3', 'a string']]],
  [
    'bad entries of a list',
    { permissions: { allow: ['Bash(ls)', 4, 'Read', null], deny: ['x'] } },
    { permissions: { allow: ['Bash(ls)', 'Read'], deny: ['x'] } },
    [
      ['permissions.allow[1]', '4', 'a string'],
      ['permissions.allow[3]', 'null', 'a string'],
    ],
  ],
  [
    'a list that is none',
    { permissions: { allow: 'Bash' } },
    { permissions: {} },
    [['permissions.allow', '"Bash"', 'a list']],
  ],
  ['an unknown key', { modle: 'x' }, {}, [['modle', 'an unknown key', 'perhaps model']]],
  ['a key of others', { tui: {}, $schema: 'x', '// note': 1 }, {}, []],
  [
    'an unknown key inside',
    { sandbox: { enabled: true, strong: 1 } },
    { sandbox: { enabled: true } },
    [['sandbox.strong', 'an unknown key', 'a key that settings have']],
  ],
  [
    'a missing part',
    { spinnerVerbs: { mode: 'append' }, verbose: false },
    { verbose: false },
    [['spinnerVerbs.verbs', 'nothing', 'a list']],
  ],
  [
    'a wrong choice',
    { effortLevel: 'huge' },
    {},
    [['effortLevel', '"huge"', 'one of "low", "medium", "high", "xhigh", "max"']],
  ],
  [
    'auto mode',
    { permissions: { defaultMode: 'auto' } },
    { permissions: { defaultMode: 'default' } },
    [['permissions.defaultMode', '"auto"', 'a mode that exists here; default is used']],
  ],
  [
    'old spellings',
    { permissions: { defaultMode: 'manual' }, teammateMode: 'tmux' },
    { permissions: { defaultMode: 'default' }, teammateMode: 'in-process' },
    [],
  ],
  ['numbers as variables', { env: { A: 1, B: true, C: 'x' } }, { env: { A: '1', B: 'true', C: 'x' } }, []],
  ['hooks of any shape', { hooks: ['odd'] }, { hooks: ['odd'] }, []],
  ['a list at the top', [1], {}, [['', 'a list [1]', 'an object: { "key": value, ... }']]],
  [
    'a negative price',
    { prices: { m: { input: -1, output: 1 }, n: { input: 1, output: 2 } } },
    { prices: { m: undefined, n: { input: 1, output: 2 } } },
    [['prices.m.input', '-1', 'at least 0']],
  ],
])('%s', (_name, raw, settings, faults) => {
  const before = structuredClone(raw);
  const checked = checkSettings(raw);
  expect(checked.settings).toEqual(settings);
  expect(checked.faults.map(({ key, found, expected }) => [key, found, expected])).toEqual(faults);
  expect(raw).toEqual(before);
});

it('the schema for editors knows every key and describes it as it is written', () => {
  expect(settingsJsonSchema()).toMatchObject({
    type: 'object',
    additionalProperties: false,
    properties: {
      model: { type: 'string' },
      hooks: {},
      permissions: { properties: { allow: { type: 'array' } } },
    },
  });
});
