import * as z from 'zod';
import { hanging } from '../lib/hanging.ts';

/** One line of `coppice doctor --json` (ruling 57). */
export const doctorCheck = z.object({
  check: z.string(),
  status: z.enum(['ok', 'warn', 'fail']),
  /** What was found, and where. */
  detail: z.string(),
  /** What to do; empty where nothing is wrong. */
  fix: z.string(),
});
export type DoctorCheck = z.infer<typeof doctorCheck>;

export const ok = (check: string, detail: string): DoctorCheck => ({ check, status: 'ok', detail, fix: '' });
export const warn = (check: string, detail: string, fix: string): DoctorCheck => ({
  check,
  status: 'warn',
  detail,
  fix,
});
export const fail = (check: string, detail: string, fix: string): DoctorCheck => ({
  check,
  status: 'fail',
  detail,
  fix,
});

const marks = { ok: '✓', warn: '!', fail: '✗' } as const;

/** As lines for a person; what is too long for the terminal goes on below itself. `columns` are as many as there are, else Infinity. */
export const checkLines = (checks: readonly DoctorCheck[], columns: number): string => {
  const width = Math.max(...checks.map(({ check }) => check.length));
  const indent = ' '.repeat(width + 4);
  const room = Math.max(20, columns - indent.length);
  return checks
    .flatMap(({ check, status, detail, fix }) => [
      `${marks[status]} ${check.padEnd(width)}  ${hanging(detail, room, indent)}`,
      ...(fix === '' ? [] : [`${indent}→ ${hanging(fix, room - 2, `${indent}  `)}`]),
    ])
    .join('\n');
};
