import type { SlashCommand } from '../contract/command.ts';
import type { SessionState } from '../contract/state.ts';
import { refused, text } from './answer.ts';

/** `/cd DIR`: where commands and relative paths start. A folder outside becomes a working directory too. */
export const cdCommand = (
  find: (text: string, cwd: string) => Promise<{ readonly path: string } | { readonly refused: string }>,
  inside: (path: string, state: SessionState) => boolean,
): SlashCommand => ({
  name: 'cd',
  description: 'Move to another directory',
  argumentHint: '<dir>',
  source: 'builtin',
  async run(args, { session }) {
    const wish = args.trim();
    if (wish === '') return text(`The directory is ${session.state().cwd}.`);
    const found = await find(wish, session.state().cwd);
    if ('refused' in found) return refused(found.refused);
    const { directories } = session.state();
    const outside = !inside(found.path, session.state());
    if (outside) await session.record({ type: 'directories', directories: [...directories, found.path] });
    await session.record({ type: 'cwd', cwd: found.path });
    return text(`Now in ${found.path}${outside ? ', which is a working directory too' : ''}.`);
  },
});
