import type { CommandPlace, CommandResult, SlashCommand } from '../contract/command.ts';
import {
  bytesText,
  holdsText,
  type MergeDesk,
  surveyText,
  type WorktreeRow,
  type Worktrees,
} from '../contract/worktree.ts';
import { refused, table, text } from './answer.ts';
import { merge } from './merge-worktrees.ts';

export interface WorktreeShelf {
  readonly service: Worktrees;
  readonly desk: MergeDesk;
}

const ACTIONS = ['diff', 'merge', 'cherry-pick', 'keep', 'remove'] as const;
type Action = (typeof ACTIONS)[number];

const DOES: Readonly<Record<Action, readonly [label: string, hint: string]>> = {
  diff: ['Show what it changes', ''],
  merge: ['Merge it', 'conflicts are shown before anything changes'],
  'cherry-pick': ['Cherry-pick its commits', ''],
  keep: ['Keep it', ''],
  remove: ['Remove it', 'work in it is saved first'],
};

const age = (ms: number | null): string => {
  if (ms === null) return '';
  if (ms < 60_000) return 'just made';
  const hours = ms / 3_600_000;
  return hours < 1
    ? `${Math.round(hours * 60)} min`
    : hours < 48
      ? `${Math.round(hours)} h`
      : `${Math.round(hours / 24)} d`;
};
const size = (bytes: number | null): string => (bytes === null ? '' : bytesText(bytes));

const listed = (rows: readonly WorktreeRow[]): string =>
  rows.length === 0
    ? 'There are no worktrees. `coppice -w NAME` works in a new one; or ask for an agent that works in a worktree of its own.'
    : table(
        ['name', 'branch', 'state', 'holds', 'owner', 'age', 'size'],
        rows.map((row) => [
          row.name,
          row.branch ?? '(detached)',
          row.state,
          row.holds,
          row.owner ?? '',
          age(row.ageMs),
          size(row.bytes),
        ]),
      );

/** `/worktrees [diff|merge|cherry-pick|keep|remove NAME...] [--check "command"]`. Several names are merged one after the other. */
export const worktreesCommand = (shelf: () => WorktreeShelf | undefined): SlashCommand => ({
  name: 'worktrees',
  description: 'Worktrees with owner, age, size and state; merge, pick or remove them',
  argumentHint: '[merge NAME... [--check "npm test"] | diff NAME | cherry-pick NAME | remove NAME]',
  source: 'builtin',
  complete: () => ACTIONS,
  async run(args, place) {
    const ports = shelf();
    if (!ports) return refused('There is no conversation with worktrees here.');
    const at = place.session.state().project;
    const { words, check } = taken(args);
    const [first, ...names] = words;
    if (first === undefined) return open(ports, at, place);
    const action = ACTIONS.find((one) => one === first);
    if (!action) return refused(`Say what to do: ${ACTIONS.join(', ')}, and the name of a worktree.`);
    if (names.length === 0)
      return refused(`Say which worktree: /worktrees ${action} NAME. /worktrees lists them.`);
    return act(action, names, check, ports, at, place);
  },
});

/** Words, and what stands behind `--check`. */
const taken = (args: string): { readonly words: readonly string[]; readonly check?: string } => {
  const [before = '', check] = args.split(/--check[ =]/);
  const words = before.split(/\s+/).filter((word) => word !== '');
  const command = check?.trim().replace(/^(["'])(.*)\1$/s, '$2');
  return command ? { words, check: command } : { words };
};

const shownOf = ({ holds, owner, ageMs, bytes, state }: WorktreeRow): string =>
  [state === 'clean' ? 'clean' : holds, owner ? 'in use' : '', age(ageMs), size(bytes)]
    .filter((part) => part !== '')
    .join(' · ');

/** Until something was done or the person leaves: who has looked at a difference is where they came from. */
const open = async (ports: WorktreeShelf, at: string, place: CommandPlace): Promise<CommandResult> => {
  const rows = await ports.service.list(at);
  if ('refused' in rows) return refused(rows.refused);
  if (!place.screen.interactive || rows.length === 0) return text(listed(rows));
  const marked: string[] = [];
  for (let initial = 0; ; ) {
    const row = await pickRow(rows, marked, initial, ports, at, place);
    if (!row) return { kind: 'done' };
    if (marked.length > 0) return mergeMarked(marked, ports, at, place);
    initial = rows.indexOf(row);
    const done = await actOn(row, ports, at, place);
    if (done) return done;
  }
};

const pickRow = (
  rows: readonly WorktreeRow[],
  marked: string[],
  initial: number,
  { desk }: WorktreeShelf,
  at: string,
  { screen }: CommandPlace,
) => {
  const items = () =>
    rows.map((one) => {
      const place = marked.indexOf(one.name) + 1;
      return { value: one, label: `${place > 0 ? `${place}. ` : ''}${one.name}`, hint: shownOf(one) };
    });
  return screen.pick({
    title: 'Worktrees',
    heading: () => (marked.length === 0 ? 'Worktrees' : `Enter merges ${marked.join(', then ')}`),
    items: items(),
    initial,
    preview: async ({ name, path, branch, holds, owner }) => {
      const diff = await desk.diff(at, name);
      return [
        path.startsWith(`${at}/`) ? path.slice(at.length + 1) : path,
        `Branch ${branch ?? '(detached)'}; holds ${holds}${owner ? `; used by ${owner}` : ''}`,
        '',
        'text' in diff ? `\`\`\`diff\n${diff.text}\n\`\`\`` : diff.refused,
      ].join('\n');
    },
    keys: [
      {
        key: 'space',
        label: 'mark to merge',
        async act({ name }) {
          if (marked.includes(name)) marked.splice(marked.indexOf(name), 1);
          else marked.push(name);
          return items();
        },
      },
    ],
  });
};

const mergeMarked = async (
  names: readonly string[],
  { desk }: WorktreeShelf,
  at: string,
  place: CommandPlace,
): Promise<CommandResult> => {
  const check = await place.screen.input({
    title: 'A command to run after each merge; leave it empty for none',
  });
  return check === undefined ? { kind: 'done' } : merge(names, check.trim() || undefined, desk, at, place);
};

const actOn = async (
  row: WorktreeRow,
  ports: WorktreeShelf,
  at: string,
  place: CommandPlace,
): Promise<CommandResult | undefined> => {
  for (;;) {
    const action = await place.screen.pick<Action>({
      title: `${row.name}: ${row.holds}`,
      items: ACTIONS.map((value) => ({ value, label: DOES[value][0], hint: DOES[value][1] })),
    });
    if (action !== 'diff') return action && (await act(action, [row.name], undefined, ports, at, place));
    const diff = await ports.desk.diff(at, row.name);
    await place.screen.panel(
      `What ${row.name} changes`,
      'refused' in diff ? diff.refused : `\`\`\`diff\n${diff.text}\n\`\`\``,
    );
  }
};

const act = async (
  action: Action,
  names: readonly string[],
  check: string | undefined,
  ports: WorktreeShelf,
  at: string,
  place: CommandPlace,
): Promise<CommandResult> => {
  const [name = ''] = names;
  switch (action) {
    case 'diff': {
      const diff = await ports.desk.diff(at, name);
      return 'refused' in diff
        ? refused(diff.refused)
        : text(diff.text.trim() === '' ? `${name} differs in nothing.` : `\`\`\`diff\n${diff.text}\n\`\`\``);
    }
    case 'merge':
      return merge(names, check, ports.desk, at, place);
    case 'cherry-pick': {
      const done = await ports.desk.pick(at, name);
      return 'refused' in done
        ? refused(done.refused)
        : text(`Picked ${done.picked} ${done.picked === 1 ? 'commit' : 'commits'} of ${name}.`);
    }
    case 'keep':
      return text(`${name} stays as it is. It is never removed by itself while it holds work.`);
    case 'remove':
      return remove(name, ports, at, place);
  }
};

const remove = async (
  name: string,
  { service }: WorktreeShelf,
  at: string,
  { screen }: CommandPlace,
): Promise<CommandResult> => {
  const rows = await service.list(at);
  if ('refused' in rows) return refused(rows.refused);
  const row = rows.find((one) => one.name === name);
  if (!row) return refused(`There is no worktree called ${JSON.stringify(name)}. /worktrees lists them.`);
  const done = await service.remove(row.path, { rescue: false });
  if ('refused' in done) return refused(done.refused);
  if ('removed' in done)
    return text(`The worktree ${name} is removed; it held nothing that is not elsewhere.`);
  const why = `${name} holds ${holdsText(done.holds)}:\n\n${surveyText(done.holds)}`;
  if (!screen.interactive) return refused(`${why}\n\nIt was not removed.`);
  screen.print(why);
  const yes = await screen.pick({
    title: `Remove ${name} with this work in it? It is saved first and can be brought back for 30 days.`,
    items: [
      { value: false, label: 'No, keep it' },
      { value: true, label: 'Yes, save the work and remove it' },
    ],
  });
  if (!yes) return { kind: 'done' };
  const gone = await service.remove(row.path, { rescue: true });
  if ('refused' in gone) return refused(gone.refused);
  return 'removed' in gone && gone.rescue
    ? text(`Removed. Bring the work back with: coppice worktree rescue restore ${gone.rescue.id}`)
    : text('Removed.');
};
