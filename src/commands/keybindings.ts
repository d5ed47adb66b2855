import type { SlashCommand } from '../contract/command.ts';
import { keyActions, keySequences } from '../contract/keys.ts';
import { errorText } from '../lib/error-text.ts';
import { refused, table, text } from './answer.ts';

export interface KeyBook {
  /** The person's own file; none without a home. */
  readonly file: string | undefined;
  /** Makes it, with an example, where it is not there yet. */
  start(file: string): Promise<void>;
  /** Opens it in the person's editor; a sentence when that cannot be done. */
  edit?(path: string): Promise<string | undefined>;
  /** What is wrong with the bindings, one sentence each. */
  check(): Promise<readonly string[]>;
}

const actions = (): string => {
  const sequences = (action: string) =>
    Object.entries(keySequences).flatMap(([keys, known]) => (known === action ? [keys] : []));
  return table(
    ['action', 'key'],
    Object.entries(keyActions).map(([action, key]) => [
      `\`${action}\``,
      [...new Set([key, ...sequences(action)])].join(', '),
    ]),
  );
};

/** `/keybindings`: opens the file of one's own keys, made with an example when there is none; `list` shows all actions. */
export const keybindingsCommand = (book: KeyBook): SlashCommand => ({
  name: 'keybindings',
  description: 'Your own keys: open keybindings.json in your editor',
  argumentHint: '[list]',
  source: 'builtin',
  complete: () => ['list'],
  async run(args, { screen }) {
    const { file } = book;
    if (file === undefined)
      return refused('There is no home to keep keys in: set HOME or COPPICE_CONFIG_DIR.');
    if (args.trim() === 'list' || !screen.interactive || !book.edit)
      return text(
        `Keys of your own stand in \`${file}\`:\n\n\`\`\`json\n{ "bindings": [{ "context": "Chat", "bindings": { "ctrl+e": "chat:externalEditor", "ctrl+u": null } }] }\n\`\`\`\n\n${actions()}`,
      );
    try {
      await book.start(file);
    } catch (error) {
      return refused(`${file} cannot be made: ${errorText(error)}`);
    }
    const failed = await book.edit(file);
    if (failed) return refused(failed);
    const problems = await book.check();
    return problems.length > 0
      ? refused(problems.join('\n\n'))
      : text(`\`${file}\` is in force. \`/keybindings list\` shows what can be bound.`);
  },
});
