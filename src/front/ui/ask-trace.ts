import { safeText } from '../../lib/safe-text.ts';
import { as, type Line } from './span.ts';
import type { Look } from './tool-lines.ts';
import { hardWrap } from './wrap.ts';

/** Why the engine decided as it did, one fact a row. */
export function traceRows(trace: readonly unknown[], look: Look): Line[] {
  if (trace.length === 0) return [[as('dim', 'No rule speaks of this call.')]];
  return [
    [as('dim', 'How this was decided:')],
    ...trace.flatMap((fact) =>
      hardWrap([as('dim', `· ${safeText(typeof fact === 'string' ? fact : factLine(fact))}`)], look.width),
    ),
  ];
}

const factLine = (fact: unknown): string =>
  typeof fact === 'object' && fact !== null
    ? Object.entries(fact)
        .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(' · ')
    : String(fact);
