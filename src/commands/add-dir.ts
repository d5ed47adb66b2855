import type { SlashCommand } from '../contract/command.ts';
import { refused, text } from './answer.ts';

/** `/add-dir DIR`: a further working directory for this conversation. `find` answers its absolute path or a sentence. */
export const addDirCommand = (
  find: (text: string, cwd: string) => Promise<{ readonly path: string } | { readonly refused: string }>,
): SlashCommand => ({
  name: 'add-dir',
  description: 'Add a working directory',
  argumentHint: '<dir>',
  source: 'builtin',
  async run(args, { session, screen }) {
    const wish = args.trim() || (await screen.input({ title: 'Directory' }))?.trim();
    if (!wish) return refused('Type a directory after /add-dir.');
    const found = await find(wish, session.state().cwd);
    if ('refused' in found) return refused(found.refused);
    const before = session.state().directories;
    if (before.includes(found.path)) return text(`${found.path} is a working directory already.`);
    await session.record({ type: 'directories', directories: [...before, found.path] });
    return text(`${found.path} is now a working directory.`);
  },
});
