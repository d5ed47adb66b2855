import { describe, expect, it } from 'vitest';
import { checkLine } from '../../src/permission/check-lines.ts';
import { bash, type Case, jsonLines, linked, world } from '../support/judging.ts';

const answerOf = (line: Case): string => {
  const text = JSON.stringify({ ...line, home: '/home/u', project: '/srv/proj' });
  const here = world({}, { readLink: linked(line.links) });
  return checkLine(text, { world: here, projectOf: (directory) => directory }).line.split(' ')[0] ?? '';
};

describe.each(['permissions.jsonl', 'permissions-second.jsonl'])('%s', (file) => {
  const answers = jsonLines<Case>(file).map((line) => ({ line, answer: answerOf(line) }));

  it('allows nothing that should not be, at any level', () => {
    const wrong = answers.filter(
      ({ line, answer }) => answer === 'allow' && line.expect !== 'allow' && !line.also_ok?.includes('allow'),
    );
    expect(wrong.map(({ line }) => line.id)).toEqual([]);
  });

  it('gives every expected answer', () => {
    const wrong = answers.filter(
      ({ line, answer }) => answer !== line.expect && !line.also_ok?.includes(answer),
    );
    expect(
      wrong.map(({ line, answer }) => `${line.id} (${line.level}): ${answer}, not ${line.expect}`),
    ).toEqual([]);
  });
});

interface Command {
  readonly allow: readonly string[];
  readonly deny?: readonly string[];
  readonly command: string;
  readonly expect: string;
}

describe('shell-battery.jsonl', () => {
  const links = { '/srv/proj/link': '/etc', '/srv/proj/evil': '/tmp/evil' };
  const wrong = jsonLines<Command>('shell-battery.jsonl').flatMap(
    ({ allow, deny, command, expect: expected }) => {
      const answer = bash(command, { allow, deny }, { readLink: linked(links) }).decision;
      const fits = answer === expected || (expected === 'ask' && answer === 'deny');
      return fits
        ? []
        : [`${JSON.stringify(command)} with ${JSON.stringify({ allow, deny })}: ${answer}, not ${expected}`];
    },
  );

  it('answers every command as written there', () => {
    expect(wrong).toEqual([]);
  });
});
