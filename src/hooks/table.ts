/** The table of events for the README, from the one source of facts. */
import { type EventFacts, eventFacts, hookEvents } from './events.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const matcherOf = ({ matches, values }: EventFacts): string =>
  matches ? `\`${matches}\`${values ? `: ${values.join(', ')}` : ''}` : 'none';

const honoursOf = ({ context, honours }: EventFacts): string => {
  const names = [...(context ? ['additionalContext'] : []), ...(honours ?? [])];
  return [names.length > 0 ? code(names) : '', context === 'plain' ? 'plain stdout is context' : '']
    .filter((one) => one !== '')
    .join('; ');
};

/** Markdown: one row an event, with what a matcher is compared with, what a block does, what JSON counts, who fires it. */
export const hookTable = (): string =>
  [
    '| Event | Fires | Matcher | Exit 2 or `decision: "block"` | Further JSON that counts | Fires for |',
    '|---|---|---|---|---|---|',
    ...hookEvents.map((event) => {
      const facts = eventFacts[event];
      const cells = [
        `\`${event}\``,
        facts.fires,
        matcherOf(facts),
        facts.block ?? 'shown to the person',
        honoursOf(facts),
        facts.actors.length === 5 ? 'everyone' : facts.actors.join(', '),
      ];
      return `| ${cells.map(cell).join(' | ')} |`;
    }),
  ].join('\n');
