import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

export type Source = { readonly path: string; readonly text: string; readonly code: string };

/** Every TypeScript file under src/, as written (`text`) and without its comments (`code`). */
export const sources: readonly Source[] = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .toSorted()
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, code: withoutComments(text) };
  });

/** Strings and templates are matched first, so that a `//` inside one of them stays. */
function withoutComments(text: string): string {
  const pieces = /('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replace(pieces, (_, string: string | undefined) => string ?? '');
}
