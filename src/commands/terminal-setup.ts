import type { SlashCommand } from '../contract/command.ts';
import { text } from './answer.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Terminal {
  readonly name: string;
  readonly is: (env: Env) => boolean;
  readonly advice: string;
}

const vscode =
  'Press Ctrl+Shift+P, open *Preferences: Open Keyboard Shortcuts (JSON)*, and add:\n\n```json\n{ "key": "shift+enter", "command": "workbench.action.terminal.sendSequence", "args": { "text": "\\u001b\\r" }, "when": "terminalFocus" }\n```';

const terminals: readonly Terminal[] = [
  { name: 'VS Code', is: (env) => env.TERM_PROGRAM === 'vscode', advice: vscode },
  {
    name: 'Apple Terminal',
    is: (env) => env.TERM_PROGRAM === 'Apple_Terminal',
    advice:
      'Settings, Profiles, Keyboard: switch on *Use Option as Meta key*. Option+Enter then makes a new line; Shift+Enter cannot be told from Enter here.',
  },
  {
    name: 'iTerm2',
    is: (env) => env.TERM_PROGRAM === 'iTerm.app',
    advice:
      'Settings, Profiles, Keys: choose *Report modifiers using CSI u*, and set the left Option key to *Esc+*.',
  },
  {
    name: 'a terminal that tells such keys by itself',
    is: (env) =>
      /^(kitty|ghostty|WezTerm|foot)$/i.test(env.TERM_PROGRAM ?? '') ||
      /kitty|ghostty|foot/.test(env.TERM ?? ''),
    advice: 'Nothing to do: Shift+Enter arrives (WezTerm: set `enable_kitty_keyboard = true`).',
  },
];

const tmux =
  'In tmux the keys pass through it. Add to `~/.tmux.conf`, then run `tmux kill-server` or source it:\n\n```\nset -s extended-keys on\nset -as terminal-features "xterm*:extkeys"\nset -s escape-time 10\n```';

const screen = 'GNU screen passes no Shift+Enter on.';

/** `/terminal-setup`: how to have Shift+Enter and Alt keys in the terminal one sits at. */
export const terminalSetupCommand = (env: Env): SlashCommand => ({
  name: 'terminal-setup',
  description: 'How to have Shift+Enter and Alt keys in this terminal',
  source: 'builtin',
  instant: true,
  async run() {
    const found = terminals.find(({ is }) => is(env));
    const parts = [
      'A new line can always be made with `\\` and Enter, with Ctrl+J, and in most terminals with Alt+Enter.',
      found
        ? `**Shift+Enter in ${found.name}.** ${found.advice}`
        : 'Shift+Enter arrives where the terminal speaks the kitty keyboard protocol or xterm’s modifyOtherKeys; elsewhere bind it to send Esc and Enter (`\\x1b\\r`).',
      ...(env.TMUX ? [`**tmux.** ${tmux}`] : env.STY ? [screen] : []),
    ];
    return text(parts.join('\n\n'));
  },
});
