import { expect, test } from 'vitest';
import { expandMentions } from '../../src/app/expand-mentions.ts';

type Servers = NonNullable<Parameters<typeof expandMentions>[2]>;

const servers: Pick<Servers, 'states' | 'readResource'> = {
  states: () => [{ name: 'docs' }] as unknown as ReturnType<Servers['states']>,
  readResource: async (server, uri) =>
    uri === 'note://1' ? { text: `Text of ${server} ${uri}` } : { refused: `${uri} could not be read` },
};
const expand = (text: string) =>
  expandMentions(text, { cwd: '/nonexistent' } as Parameters<typeof expandMentions>[1], servers as Servers);

test('a mentioned resource of a connected server goes along, one that cannot be read is said, others are left', async () => {
  expect(await expand('see @docs:note://1.')).toBe(
    'see @docs:note://1.\n\n<attached resource="docs:note://1">\nText of docs note://1\n</attached>',
  );
  expect(await expand('see @docs:note://2')).toContain('note://2 could not be read');
  expect(await expand('ask @other:note://1')).toBe('ask @other:note://1');
});
