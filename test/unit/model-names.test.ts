import { expect, test } from 'vitest';
import { displayName } from '../../src/model/display-name.ts';

test.each([
  ['claude-sonnet-5-5', 'Sonnet 5.5'],
  ['claude-opus-4-1-20250805', 'Opus 4.1'],
  ['claude-sonnet-4-20250514', 'Sonnet 4'],
  ['claude-sonnet-5-5[1m]', 'Sonnet 5.5'],
  ['claude-3-5-haiku-latest', 'Haiku 3.5'],
  ['claude-3-opus-20240229', 'Opus 3'],
  ['gpt-oss:20b', 'gpt-oss:20b'],
  ['qwen3-coder', 'qwen3-coder'],
])('%s is called %s', (id, name) => {
  expect(displayName(id)).toBe(name);
});
