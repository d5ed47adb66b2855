/** Asks about instruction files outside the project before the model reads anything; each only once. */
import type { ScreenCommands } from '../contract/screen.ts';
import type { SessionState } from '../contract/state.ts';
import { safeLine } from '../lib/safe-text.ts';
import type { Instructions } from './instructions.ts';

export const askImports =
  (commands: ScreenCommands, instructions: Instructions) =>
  async (state: SessionState): Promise<void> => {
    if (state.messages.length > 0) return;
    const open = await instructions.outside(state);
    if (open.length === 0) return;
    const answer = await commands.confirm({
      title: 'Instruction files outside this project',
      body: `Files of this project import others that lie outside of it. The model would read:\n\n${open
        .map(({ path, from }) => `- ${safeLine(path)} (imported by ${safeLine(from)})`)
        .join('\n')}`,
      options: [
        { value: 'allowed', label: 'Yes, read them' },
        { value: 'refused', label: 'No, leave them out' },
      ],
    });
    if (answer !== 'allowed' && answer !== 'refused') return;
    const failed = await instructions.decide(
      state,
      open.map(({ path }) => path),
      answer,
    );
    if (failed) commands.notice('warn', `That could not be kept for the next time: ${failed}`);
  };
