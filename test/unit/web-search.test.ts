import { expect, it } from 'vitest';
import { searchTools } from '../../src/app/web-tools.ts';
import type { SessionState } from '../../src/contract/state.ts';

const state = {} as SessionState;
const offered = (models: object, hidden = false, wanted = true) =>
  searchTools(
    { models: { practice: false, ...models }, gate: { hides: () => hidden } } as never,
    wanted,
    state,
  ).map(({ type }) => type);

it.each([
  ['at the provider', {}, ['web_search_20250305']],
  ['at the provider by address', { baseUrl: 'https://api.anthropic.com/' }, ['web_search_20250305']],
  ['at another server', { baseUrl: 'http://127.0.0.1:11434' }, []],
  ['at a server with a similar name', { baseUrl: 'https://api.anthropic.com.evil.test' }, []],
  ['with the practice model', { practice: true }, []],
])('search is offered %s: %j', (_, models, types) => {
  expect(offered(models)).toEqual(types);
});

it('search is not offered when a rule denies it or --tools leaves it out', () => {
  expect(offered({}, true)).toEqual([]);
  expect(offered({}, false, false)).toEqual([]);
});
