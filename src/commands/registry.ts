import type { CommandRegistry, SlashCommand } from '../contract/command.ts';

/** Commands people still type although they are gone, and where to look instead. */
const gone: Readonly<Record<string, string>> = {
  vim: '`/config editorMode=vim` types as in vim, `/config editorMode=normal` as ever.',
  'output-style':
    '`/config outputStyle=NAME` sets it for the next conversation; styles lie in `output-styles/*.md`.',
  'pr-comments': 'Ask for the comments of a pull request in plain words; `gh pr view --comments` shows them.',
  fast: 'There is no fast mode: `/model small` and `/effort low` answer sooner.',
  autocompact:
    '`/config autoCompactEnabled=false` and `/config autoCompactWindow=150000` say when the conversation is compacted by itself.',
  tui: 'There is one screen here: it leaves the scrollback to your terminal. `COPPICE_SCREEN_READER=1` gives plain lines.',
  focus: 'Finished turns stand in the scrollback; Ctrl+O shows the whole transcript, Ctrl+T the tasks.',
  ide: 'There is no editor integration. `/keybindings` binds your `$EDITOR`; Ctrl+G opens it.',
  goal: 'Say in plain words when the work is done, or let a Stop hook decide (`/hooks`).',
  loop: 'Nothing is repeated by itself here; ask for a command in the background that does it.',
  fork: '`/branch` goes on in a copy of the conversation; `/subtask TASK` gives a task to an agent.',
  'code-review': '`/review` reviews a change.',
  'reload-plugins': 'Plugins are read when Coppice starts; `/reload-skills` reads skills and commands again.',
  upgrade: 'Coppice does not update itself: install the new version the way you installed this one.',
};

const pointer = (name: string, where: string): SlashCommand => ({
  name,
  description: where,
  source: 'builtin',
  run: async () => ({ kind: 'text', text: where }),
});

/** What another command is called is no second name of this one. */
const withoutAliases = (command: SlashCommand, taken: ReadonlySet<string>): SlashCommand => {
  const { aliases } = command;
  return aliases?.some((alias) => taken.has(alias))
    ? { ...command, aliases: aliases.filter((alias) => !taken.has(alias)) }
    : command;
};

/** Built-in commands first, then skills and command files; a built-in name is never taken over. */
export const createRegistry = (
  builtin: readonly SlashCommand[],
  found: () => readonly SlashCommand[],
): CommandRegistry => {
  const list = () => {
    const taken = new Set(builtin.flatMap((one) => [one.name, ...(one.aliases ?? [])]));
    const others = found().filter((one) => !taken.has(one.name));
    for (const { name } of others) taken.add(name);
    return [...builtin, ...others.map((one) => withoutAliases(one, taken))];
  };
  return {
    list,
    find(name) {
      const all = list();
      const known = all.find((one) => one.name === name) ?? all.find((one) => one.aliases?.includes(name));
      const where = gone[name];
      return known ?? (where === undefined ? undefined : pointer(name, where));
    },
  };
};
