import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { askProgram } from '../../src/shell/ask-program.ts';

const ask = (command: string, more: Partial<Parameters<typeof askProgram>[0]> = {}) =>
  askProgram({ command, cwd: tmpdir(), env: { PATH: process.env.PATH ?? '' }, timeoutMs: 10_000, ...more });

describe('a helper program', () => {
  it('answers with what it printed, without the last line end', async () => {
    expect(await ask('echo key; echo noise >&2')).toEqual({ output: 'key' });
  });
  it('reads the input and then its end', async () => {
    expect(await ask('tr a-z A-Z', { input: 'status' })).toEqual({ output: 'STATUS' });
  });
  it('sees only the variables it is given', async () => {
    expect(
      await ask('echo "$SECRET$GIVEN"', { env: { PATH: process.env.PATH ?? '', GIVEN: 'yes' } }),
    ).toEqual({ output: 'yes' });
  });
  it('says how it failed', async () => {
    expect(await ask('echo broken >&2; exit 3')).toEqual({
      failed: '`echo broken >&2; exit 3` failed (exit code 3): broken',
    });
  });
  it('is ended when it does not answer', async () => {
    expect(await ask('sleep 60', { timeoutMs: 100 })).toEqual({
      failed: '`sleep 60` gave no answer within 0.1 s.',
    });
  });
});
