import { afterAll, describe, expect, it } from 'vitest';
import { toolBench } from '../support/tool-bench.ts';

const bench = toolBench();
afterAll(() => bench[Symbol.asyncDispose]());

it.each(bench.tools.map((tool) => [tool.schema.name, tool] as const))(
  '%s is told in few bytes of JSON Schema',
  (_, tool) => {
    const text = JSON.stringify(tool.schema);
    expect(Buffer.byteLength(text)).toBeLessThan(1_500);
    expect(JSON.parse(text)).toMatchObject({ input_schema: { type: 'object', properties: {} } });
    expect(text).not.toContain('$schema');
  },
);

it('the core tools take at most 6 KB of a request', () => {
  expect(Buffer.byteLength(JSON.stringify(bench.tools.map((tool) => tool.schema)))).toBeLessThan(6 * 1024);
});

describe('input', () => {
  it.each([
    [
      'numbers and booleans as text',
      'Bash',
      { command: 'ls', timeout: '5000', run_in_background: 'true' },
      { command: 'ls', timeout: 5000, run_in_background: true },
    ],
    ['null for what is left out', 'Read', { file_path: '/a', offset: null }, { file_path: '/a' }],
    ['the whole as JSON text', 'Bash', '{"command":"ls"}', { command: 'ls' }],
    ['a name of another tool', 'Read', { path: '/a' }, { file_path: '/a' }],
    ['a relative path', 'Read', { file_path: 'a/../b' }, { file_path: `${bench.folder}/b` }],
    ['a path in the home', 'Read', { file_path: '~/b' }, { file_path: `${process.env.HOME}/b` }],
    ['a name too many', 'Bash', { command: 'ls', explanation: 'why' }, { command: 'ls' }],
  ])('may have %s', (_, tool, given, input) => {
    expect(bench.prepare(tool, given)).toMatchObject({ input });
    expect(Object.keys(Reflect.get(bench.prepare(tool, given), 'input'))).toEqual(Object.keys(input));
  });

  it.each([
    ['Bash', {}, 'Bash needs "command": a string. The input was empty.'],
    ['Bash', undefined, 'Bash needs "command": a string. The input was empty.'],
    ['Read', { file: '/a' }, 'Read needs "file_path": a string. The input had: file.'],
    ['Bash', { command: 5 }, '"command" of Bash must be a string, but is 5.'],
    ['Bash', { command: 'ls', timeout: 'soon' }, '"timeout" of Bash must be a number, but is "soon".'],
    ['Read', { file_path: '/a', limit: 0 }, '"limit" of Read must be at least 1, but is 0.'],
    ['Read', { file_path: '/a', offset: 1.5 }, '"offset" of Read must be a whole number, but is 1.5.'],
    [
      'Grep',
      { pattern: 'x', output_mode: 'lines' },
      '"output_mode" of Grep must be one of "files_with_matches", "content", "count", but is "lines".',
    ],
    ['Grep', { pattern: '' }, '"pattern" of Grep must be a text that is not empty, but is "".'],
    ['Bash', 'ls', 'The input of Bash must be a JSON object, but is "ls".'],
    ['Bash', { command: ' ' }, '"command" of Bash is empty. Give a script to run.'],
    ['Read', { file_path: 'a\0b' }, '"file_path" of Read holds a NUL byte. Give the path of a file.'],
    [
      'Edit',
      { file_path: 'a', old_string: '', new_string: 'b' },
      '"old_string" of Edit is empty. Give the text to replace; to make a new file use Write.',
    ],
    [
      'Edit',
      { file_path: 'a', old_string: 'b', new_string: 'b' },
      '"old_string" and "new_string" of Edit are the same, so nothing would change.',
    ],
  ])('of %s that is %o gets a sentence', (tool, given, invalid) => {
    expect(bench.prepare(tool, given)).toEqual({ invalid });
  });
});
