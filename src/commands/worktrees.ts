import type { CommandPlace, CommandResult, SlashCommand } from '../contract/command.ts';
import {
  holdsText,
  type MergeDesk,
  type QueueReport,
  surveyText,
  type WorktreeRow,
  type Worktrees,
} from '../contract/worktree.ts';
import { refused, table, text } from './answer.ts';

export interface WorktreeShelf {
  readonly service: Worktrees;
  readonly desk: MergeDesk;
}

const ACTIONS = ['diff', 'merge', 'cherry-pick', 'keep', 'remove'] as const;
type Action = (typeof ACTIONS)[number];

const age = (ms: number | null): string => {
  if (ms === null) return '';
  const hours = ms / 3_600_000;
  return hours < 1
    ? `${Math.round(hours * 60)} min`
    : hours < 48
      ? `${Math.round(hours)} h`
      : `${Math.round(hours / 24)} d`;
};
const size = (bytes: number | null): string => (bytes === null ? '' : `${(bytes / 1e6).toFixed(1)} MB`);

const listed = (rows: readonly WorktreeRow[]): string =>
  rows.length === 0
    ? 'There are no worktrees. EnterWorktreeTool, --worktree and agents with isolation make some.'
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

const open = async (ports: WorktreeShelf, at: string, place: CommandPlace): Promise<CommandResult> => {
  const rows = await ports.service.list(at);
  if ('refused' in rows) return refused(rows.refused);
  if (!place.screen.interactive || rows.length === 0) return text(listed(rows));
  const row = await place.screen.pick({
    title: 'Worktrees',
    items: rows.map((one) => ({
      value: one,
      label: `${one.name} (${one.state})`,
      hint: [one.owner ? 'in use' : '', age(one.ageMs), size(one.bytes)]
        .filter((part) => part !== '')
        .join(', '),
    })),
    preview: async ({ name, path, branch, holds, owner }) => {
      const diff = await ports.desk.diff(at, name);
      return [
        `${path}`,
        `Branch ${branch ?? '(detached)'}; holds ${holds}${owner ? `; used by ${owner}` : ''}`,
        '',
        'text' in diff ? `\`\`\`diff\n${diff.text}\n\`\`\`` : diff.refused,
      ].join('\n');
    },
  });
  if (!row) return { kind: 'done' };
  const action = await place.screen.pick<Action>({
    title: row.name,
    items: ACTIONS.map((value) => ({ value, label: value })),
  });
  return action ? act(action, [row.name], undefined, ports, at, place) : { kind: 'done' };
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
      return merge(names, check, ports, at, place);
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

const merge = async (
  names: readonly string[],
  check: string | undefined,
  { desk }: WorktreeShelf,
  at: string,
  { screen }: CommandPlace,
): Promise<CommandResult> => {
  const overlaps = names.length > 1 ? await desk.overlaps(at, names) : [];
  if ('refused' in overlaps) return refused(overlaps.refused);
  const warned = overlaps.map(
    ({ names: [a, b], path, lines }) => `- ${a} and ${b} both changed ${path} around line ${lines[0]}`,
  );
  if (warned.length > 0) {
    screen.print(['These touch the same lines:', ...warned].join('\n'));
    if (screen.interactive) {
      const go = await screen.pick({
        title: 'Merge them all the same?',
        items: [
          { value: true, label: 'Yes, in this order, stopping at the first conflict' },
          { value: false, label: 'No' },
        ],
      });
      if (!go) return { kind: 'done' };
    }
  }
  const report = await desk.queue(at, names, check);
  if ('refused' in report) return refused(report.refused);
  return settled(report, screen.interactive ? await handOver(report, screen) : 'person');
};

const handOver = async (
  { stopped }: QueueReport,
  screen: CommandPlace['screen'],
): Promise<'agent' | 'person'> => {
  if (!stopped) return 'person';
  const to = await screen.pick<'agent' | 'person'>({
    title: `${stopped.name} was not merged: ${stopped.why}`,
    items: [
      { value: 'agent', label: 'Let the assistant resolve it in the worktree' },
      { value: 'person', label: 'I will look at it myself' },
    ],
  });
  return to ?? 'person';
};

const settled = ({ merged, stopped }: QueueReport, to: 'agent' | 'person'): CommandResult => {
  const good = merged.length > 0 ? `Merged ${merged.join(', ')}.` : 'Nothing was merged.';
  if (!stopped) return text(`${good} Remove what is no longer needed with /worktrees remove NAME.`);
  const problem = [
    `${stopped.name} was not merged: ${stopped.why}.`,
    ...stopped.conflicts.map(({ path, says }) => `- ${path}: ${says}`),
    ...(stopped.output ? ['', '```', stopped.output.slice(-4_000), '```'] : []),
  ].join('\n');
  if (to === 'person') return refused(`${good}\n\n${problem}`);
  return {
    kind: 'prompt',
    display: `Resolve the merge of ${stopped.name}`,
    text: `${good}\n\n${problem}\n\nEnter that worktree (EnterWorktreeTool with name ${JSON.stringify(stopped.name)}), merge the main branch into its branch there, resolve what conflicts or fails so that both intentions are kept, run the checks, commit, and leave it with ExitWorktreeTool and action "keep". Do not change the main checkout; say when it can be merged.`,
  };
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
