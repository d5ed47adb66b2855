/** `/name args` in a run without a screen: what it says is the answer, or the prompt it stands for goes to the model. */
import type { CommandScreen } from '../contract/command.ts';
import type { TypedAs } from '../contract/session.ts';
import { parseCommand } from '../lib/slash-line.ts';
import { mentionsIn } from './expand-mentions.ts';
import type { House } from './house.ts';
import type { Root } from './root.ts';
import type { Slash } from './slash.ts';

export type Said =
  | { readonly prompt: string; readonly typed: TypedAs }
  | { readonly answer: string; readonly failed: boolean };

/** A line that names no command is a prompt: paths and whole sentences may begin with a slash. `typed` is what mentions count in. */
export const headlessLine = async (
  house: House,
  { session, conversation }: Pick<Root, 'session' | 'conversation'>,
  line: string,
  typed: string,
): Promise<Said> => {
  const parsed = parseCommand(line);
  const plain: Said = { prompt: line, typed: { display: line, mentions: mentionsIn(typed) } };
  if (parsed === undefined) return plain;
  await house.library.upToDate();
  const slash = await slashHere(house);
  // A lone `/word` is a command that is not there; a path or a sentence that begins with one is a prompt.
  if (!slash.registry.find(parsed.name) && !/^\/[a-z][\w:-]*$/i.test(line.trim())) return plain;
  const printed: string[] = [];
  let prompt: string | undefined;
  let failed = false;
  const screen: CommandScreen = {
    interactive: false,
    print: (markdown) => void printed.push(markdown),
    pick: async () => undefined,
    input: async () => undefined,
    panel: async (_title, markdown) => void printed.push(markdown),
  };
  await slash.run(line, session, screen, {
    send: async (text) => {
      prompt = text;
    },
    switchTo: async () => undefined,
    exit: () => undefined,
    scope: conversation.scope,
    failed: () => {
      failed = true;
    },
  });
  return prompt === undefined
    ? { answer: printed.join('\n\n'), failed }
    : { prompt, typed: { display: line, mentions: [] } };
};

const slashHere = async (house: House): Promise<Slash> => {
  const { slashOf } = await import('./builtin-commands.ts');
  return slashOf(house, { write: () => undefined, more: [] });
};

/** What can be typed behind a slash, for scripts that list it. */
export const slashNamesOf = async (house: House): Promise<readonly string[]> => {
  return (await slashHere(house)).registry.list().map((one) => one.name);
};
