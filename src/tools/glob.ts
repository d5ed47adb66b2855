import * as z from 'zod';
import type { SessionState } from '../contract/state.ts';
import type { Tool, ToolContext, ToolOutcome } from '../contract/tool.ts';
import { defineTool } from './define.ts';
import description from './glob.md';
import { shortPath } from './place.ts';
import { nothingThere, placeInPattern, type SearchDeps, searchPlace } from './search-place.ts';

const MOST_SHOWN = 100;

export const globTool = (deps: SearchDeps): Tool =>
  defineTool({
    name: 'Glob',
    description,
    input: z.object({
      pattern: z.string().min(1),
      path: z.string().optional().describe('Folder to look in; the working directory if left out'),
    }),
    renamed: { glob: 'pattern', directory: 'path' },
    call: (given, state) => {
      const from = searchPlace('Glob', given.path, state.cwd);
      if (typeof from !== 'string') return from;
      const { root, pattern } = placeInPattern(given.pattern, from);
      if (pattern.split('/').includes('..'))
        return { invalid: 'The pattern of Glob has ".." in its middle. Put the folder into "path" instead.' };
      return {
        input: { pattern, path: root },
        subject: root === state.cwd ? pattern : `${pattern} in ${shortPath(root, state.cwd)}`,
        readOnly: true,
        parallel: true,
        run: (ctx) => find(deps, root, pattern, ctx),
      };
    },
  });

const find = async (
  deps: SearchDeps,
  root: string,
  pattern: string,
  ctx: ToolContext,
): Promise<ToolOutcome> => {
  const missing = nothingThere(root);
  if (missing !== undefined) return { status: 'error', text: missing };
  const began = performance.now();
  const result = await deps.search.files({ root, glob: pattern, signal: ctx.signal });
  if (ctx.signal.aborted) return { status: 'cancelled', text: 'Interrupted.' };
  if ('problem' in result) return { status: 'error', text: `The search failed: ${result.problem}` };
  const names = allowed(deps, result.found, ctx.session);
  const shown = names.slice(0, MOST_SHOWN).map((path) => shortPath(path, ctx.session.cwd));
  const truncated = result.cut || names.length > shown.length;
  const more = truncated
    ? [
        `[${result.cut ? 'More than ' : ''}${names.length} files match; the ${shown.length} newest are shown. Narrow the pattern for others.]`,
      ]
    : [];
  return {
    status: 'ok',
    text: shown.length === 0 ? 'No files match.' : [...shown, ...more].join('\n'),
    display: {
      kind: 'text',
      summary: `${names.length} ${names.length === 1 ? 'file' : 'files'}`,
      body: shown.join('\n'),
    },
    response: {
      durationMs: Math.round(performance.now() - began),
      numFiles: shown.length,
      filenames: shown,
      truncated,
    },
  };
};

const allowed = (deps: SearchDeps, paths: readonly string[], state: SessionState): readonly string[] =>
  deps.forbidden ? paths.filter((path) => deps.forbidden?.(path, state) !== true) : paths;
