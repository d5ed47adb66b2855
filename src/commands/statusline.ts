import type { SlashCommand } from '../contract/command.ts';
import { text } from './answer.ts';

/** `/statusline`: where the person's own status line comes from, and how to have one. */
export const statuslineCommand = (
  now: () => { readonly command: string; readonly file: string } | undefined,
  file: string | undefined,
): SlashCommand => ({
  name: 'statusline',
  description: 'Your own status line: what it is, how to set it',
  source: 'builtin',
  instant: true,
  async run() {
    const set = now();
    const state = set
      ? `The status line is printed by \`${set.command}\` (${set.file}).`
      : 'No status line is set.';
    return text(
      `${state}\n\nA command that gets JSON on standard input and prints a line; in \`${file ?? 'settings.json'}\`:\n\n\`\`\`json\n{ "statusLine": { "type": "command", "command": "jq -r '.model.display_name'" } }\n\`\`\``,
    );
  },
});
