import type { SlashCommand } from '../contract/command.ts';
import type { SessionState } from '../contract/state.ts';
import { refused, table, text } from './answer.ts';

/** One instruction file, loaded or possible. */
export interface MemoryFile {
  readonly path: string;
  readonly kind: string;
  /** Why it counts; absent for one that is not there yet. */
  readonly loaded?: string;
  readonly chars: number;
}

export interface Memory {
  files(state: SessionState): Promise<readonly MemoryFile[]>;
  /** Opens a file in the person's editor, making it where it is not there; a sentence when that cannot be done. */
  edit?(path: string): Promise<string | undefined>;
}

/** `/memory`: the instruction files in force; one can be opened in the editor. */
export const memoryCommand = (memory: Memory): SlashCommand => ({
  name: 'memory',
  description: 'Instruction files in force; open one in your editor',
  argumentHint: '[file]',
  source: 'builtin',
  async run(args, { session, screen }) {
    const files = await memory.files(session.state());
    const wish = args.trim();
    const listed = text(
      files.length === 0
        ? 'No instruction file is in force. `/init` writes an AGENTS.md.'
        : table(
            ['file', 'kind', 'loaded', 'characters'],
            files.map((file) => [file.path, file.kind, file.loaded ?? 'not there yet', String(file.chars)]),
          ),
    );
    if (!memory.edit || (wish === '' && !screen.interactive)) return listed;
    const named = files.find((file) => file.path === wish || file.path.endsWith(`/${wish}`));
    if (wish !== '' && !named) return refused(`No instruction file is called "${wish}".`);
    const chosen =
      named ??
      (await screen.pick({
        title: 'Instruction files (Enter opens the editor)',
        items: files.map((file) => ({
          value: file,
          label: file.path,
          hint: file.loaded ? `${file.kind}, ${file.loaded}` : `${file.kind}, not there yet`,
        })),
      }));
    if (!chosen) return { kind: 'done' };
    const failed = await memory.edit(chosen.path);
    return failed
      ? refused(failed)
      : text(`\`${chosen.path}\` was saved. It counts from the next conversation or compaction on.`);
  },
});
