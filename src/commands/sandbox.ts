import type { SlashCommand } from '../contract/command.ts';
import type { SandboxLaw, SandboxState } from '../contract/sandbox.ts';
import type { SessionState } from '../contract/state.ts';
import { text } from './answer.ts';

export interface SandboxReport {
  readonly state: SandboxState;
  readonly required: boolean;
  /** Commands inside need no question. */
  readonly spares: boolean;
  readonly excluded: readonly string[];
  readonly law: SandboxLaw;
}

const list = (title: string, items: readonly string[], none: string): string =>
  `**${title}**\n\n${items.length === 0 ? none : items.map((item) => `- \`${item}\``).join('\n')}`;

const WISH =
  'Put `{"sandbox": {"enabled": true}}` into your settings. `"required": true` refuses to run commands where there is no sandbox.';

const head = ({ state, required, spares }: SandboxReport): string => {
  switch (state.state) {
    case 'off':
      return `The sandbox is **off**: commands run as you. ${WISH}`;
    case 'unavailable':
      return `The sandbox is **unavailable**. ${state.reason} ${state.fix}\n\n${required ? 'It is required, so no command runs until then.' : 'Commands run without it and ask as usual.'}`;
    case 'on':
      return `The sandbox is **on**. ${spares ? 'Commands inside it run without a question; rules that deny or ask still count.' : 'Commands ask as usual (autoAllowBashIfSandboxed is false).'} What they leave running ends with them.`;
  }
};

/** `/sandbox`: whether commands run in a sandbox, and what they may do in it. */
export const sandboxCommand = (facts: (state: SessionState) => Promise<SandboxReport>): SlashCommand => ({
  name: 'sandbox',
  description: 'Whether commands run in a sandbox, and what they may touch there',
  source: 'builtin',
  instant: true,
  run: async (_args, { session }) => {
    const report = await facts(session.state());
    if (report.state.state === 'off') return text(head(report));
    const { law } = report;
    return text(
      [
        head(report),
        list('May be written', law.allowWrite, 'nothing'),
        list('Never written, there or not', law.denyWrite, 'nothing'),
        list('Not read', law.denyRead, 'nothing'),
        list('Hosts', law.allowedDomains, 'no network'),
        ...(report.excluded.length > 0 ? [list('Runs outside, and asks', report.excluded, '')] : []),
      ].join('\n\n'),
    );
  },
});
