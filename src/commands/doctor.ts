import type { SlashCommand } from '../contract/command.ts';
import { table, text } from './answer.ts';

export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  readonly fix: string;
}

const marks = { ok: '✓', warn: '!', fail: '✗' } as const;

/** `/doctor`: what is configured, from where, what is wrong and how to mend it. */
export const doctorCommand = (examine: () => Promise<readonly Finding[]>): SlashCommand => ({
  name: 'doctor',
  description: 'What is configured, what is wrong and how to mend it',
  source: 'builtin',
  instant: true,
  async run() {
    const found = await examine();
    const wrong = found.filter(({ status }) => status !== 'ok');
    const cures = wrong.map(({ check, fix }) => `- **${check}**: ${fix}`);
    return text(
      `${table(
        ['', 'check', 'found'],
        found.map((one) => [marks[one.status], one.check, one.detail]),
      )}\n\n${cures.length === 0 ? 'Nothing is wrong.' : cures.join('\n')}`,
    );
  },
});
