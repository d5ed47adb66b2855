import type { CommandRegistry, SlashCommand } from '../contract/command.ts';
import { done, table, text } from './answer.ts';

const keys: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while it works: queue'],
  ['Ctrl+J, \\ Enter', 'new line'],
  ['Shift+Enter, Alt+Enter', 'new line, where the terminal tells them apart'],
  ['Esc', 'interrupt, close, decline'],
  ['Esc Esc', 'clear the draft; on an empty one: rewind'],
  ['Shift+Tab', 'next permission mode'],
  ['Ctrl+O', 'whole transcript, with search'],
  ['Up; Ctrl+R', 'earlier prompts, and back what is queued; search them'],
  ['Ctrl+S', 'put the draft aside, and back'],
  ['Ctrl+G', 'edit the prompt in your editor'],
  ['Ctrl+T', 'task list'],
  ['Ctrl+B', 'send a running command or agent to the background'],
  ['Ctrl+V', 'paste a picture; a path of one works too'],
  ['Alt+P, Alt+T', 'model; thinking on and off'],
  ['Ctrl+L, Ctrl+Z', 'draw again, suspend'],
  ['?', 'the keys, on an empty prompt'],
  ['@', 'files and agents'],
  ['!', 'run a shell command yourself'],
  ['Ctrl+C twice, Ctrl+D twice', 'leave'],
];

/** `/help`: what can be typed and pressed; on a screen a page of its own, one line a key or command. */
export const helpCommand = (registry: () => CommandRegistry): SlashCommand => ({
  name: 'help',
  description: 'What can be typed and pressed',
  source: 'builtin',
  instant: true,
  async run(_args, { screen }) {
    const commands = registry()
      .list()
      .map(
        (one) =>
          [`\`/${one.name}${one.argumentHint ? ` ${one.argumentHint}` : ''}\``, one.description] as const,
      );
    const page = `## Keys\n\n${table(['key', 'does'], keys)}\n\n## Commands\n\n${table(['command', 'does'], commands)}\n\nAgents may also send each other messages: \`*\` reaches every teammate of the current team.`;
    if (!screen.interactive) return text(page);
    await screen.panel('Help', page, 'cut');
    return done;
  },
});
