import type { SlashCommand } from '../contract/command.ts';
import type { SessionState } from '../contract/state.ts';
import { shortNumber, table, text } from './answer.ts';

/** One part of what fills the window, in tokens (estimated unless the service counted). */
export interface WindowPart {
  readonly name: string;
  readonly tokens: number;
}
export interface WindowUse {
  readonly window: number;
  readonly parts: readonly WindowPart[];
  /** Tokens of the last request; 0 before the first. */
  readonly counted: number;
  /** Who counted them: the service, or the practice model by size. */
  readonly countedBy: 'service' | 'practice';
}

const counters = {
  service: "by the service's count",
  practice: 'by estimate, and went nowhere: practice is offline',
} as const;

const width = 40;
const marks = ['█', '▓', '▒', '░', '▚', '▞', '▤'];

/** A bar of what fills the window, one pattern a part; whatever is there at all can be seen. */
const bar = (use: WindowUse): string => {
  const cells = use.parts
    .map((part, at) =>
      (marks[at % marks.length] ?? '█').repeat(
        part.tokens === 0 ? 0 : Math.max(1, Math.round((width * part.tokens) / use.window)),
      ),
    )
    .join('')
    .slice(0, width);
  return `${cells}${'·'.repeat(Math.max(0, width - [...cells].length))}`;
};

/** `/context`: draws what fills the window. */
export const contextCommand = (use: (state: SessionState) => Promise<WindowUse>): SlashCommand => ({
  name: 'context',
  description: "What fills the model's window",
  source: 'builtin',
  instant: true,
  async run(_args, { session }) {
    const filled = await use(session.state());
    const total = filled.parts.reduce((sum, part) => sum + part.tokens, 0);
    const share = (tokens: number) => `${((100 * tokens) / filled.window).toFixed(1)} %`;
    const rows = filled.parts.map((part, at) => [
      `${marks[at % marks.length]} ${part.name}`,
      shortNumber(part.tokens),
      share(part.tokens),
    ]);
    const counted =
      filled.counted > 0
        ? `\n\nThe last request was ${shortNumber(filled.counted)} tokens (${share(filled.counted)}) ${counters[filled.countedBy]}.`
        : '';
    return text(
      `\`${bar(filled)}\` ${share(total)} of ${shortNumber(filled.window)}\n\n${table(['part', 'tokens', 'share'], [...rows, ['· free', shortNumber(Math.max(0, filled.window - total)), share(Math.max(0, filled.window - total))]])}${counted}`,
    );
  },
});
