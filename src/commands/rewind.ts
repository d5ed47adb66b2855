import type { CheckpointStep, Checkpoints, RewindPlan, Rewound } from '../contract/checkpoint.ts';
import type { CommandPlace, CommandResult, SlashCommand } from '../contract/command.ts';
import { refused, text } from './answer.ts';

/** A prompt that a person can go back to before. */
export interface RewindPoint {
  /** Entry of the transcript. */
  readonly uuid: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly text: string;
}

export interface RewindDesk {
  /** Undefined where files are not recorded. */
  history(): Checkpoints | undefined;
  /** Prompts of the conversation as it stands, oldest first. */
  points(place: CommandPlace): Promise<readonly RewindPoint[]>;
}

const WHAT = ['both', 'conversation', 'code', 'summary', 'never'] as const;
type What = (typeof WHAT)[number];

const NOTHING: RewindPlan = { top: '/', files: [], lost: [], gaps: [] };

const clip = (words: string, most = 70): string => {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
};

const files = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`;

const shorter = (path: string, { top }: RewindPlan): string =>
  path.startsWith(`${top}/`) ? path.slice(top.length + 1) : path;

/** `/rewind [N [both|conversation|code|summary] | undo]`: back to before a prompt. Esc Esc opens it too. */
export const rewindCommand = (desk: RewindDesk): SlashCommand => ({
  name: 'rewind',
  aliases: ['checkpoint', 'undo'],
  description: 'Go back to before a prompt: files, conversation or both',
  argumentHint: '[number [both|conversation|code|summary], or undo]',
  source: 'builtin',
  async run(args, place) {
    if (place.session.busy()) return refused('A turn is running. Interrupt it (Esc), then go back.');
    const [first = '', second] = args.trim().split(/\s+/);
    const history = desk.history();
    if (first === 'undo')
      return history
        ? undo(history, place)
        : refused('Files are not recorded here, so there is nothing to undo.');
    const points = await desk.points(place);
    if (points.length === 0) return text('There is no prompt to go back to yet.');
    const point = first === '' ? await choose(points, desk, place) : points[Number(first) - 1];
    if (first !== '' && !point)
      return refused(`There is no prompt number ${first}; there are ${points.length}.`);
    if (!point) return place.screen.interactive ? { kind: 'done' } : text(listing(points));
    const plan = (await history?.planSince(point.at)) ?? NOTHING;
    const what =
      second === undefined
        ? await chooseWhat(point, plan, history, place)
        : WHAT.find((one) => one === second);
    if (what === undefined)
      return second === undefined
        ? { kind: 'done' }
        : refused(`Say both, conversation, code or summary, not "${second}".`);
    return goBack(what, point, plan, history, place);
  },
});

const listing = (points: readonly RewindPoint[]): string =>
  [
    'Prompts of this conversation; go back to before one with /rewind NUMBER both (or conversation, code, summary):',
    '',
    ...points.map((point, at) => `${at + 1}. ${clip(point.text)}`),
  ].join('\n');

const choose = (points: readonly RewindPoint[], desk: RewindDesk, { screen }: CommandPlace) =>
  screen.pick({
    title: 'Go back to before which prompt?',
    items: points.map((point, at) => ({
      value: point,
      label: `${at + 1}. ${clip(point.text)}`,
      hint: new Date(point.at).toISOString().slice(11, 16),
    })),
    initial: points.length - 1,
    preview: async (point) => {
      const history = desk.history();
      if (!history) return point.text;
      return `${clip(point.text)}\n\n${await summed(history, await history.planSince(point.at))}`;
    },
  });

/** What would change, in few rows; a picker shows no more. */
const summed = async (history: Checkpoints, plan: RewindPlan): Promise<string> => {
  const { files: changed } = await history.preview(plan);
  const foreign = new Set(plan.files.flatMap((one) => (one.foreign ? [shorter(one.path, plan)] : [])));
  const names = changed.map(
    ({ path, added, removed }) =>
      `${path} (+${added} -${removed}${foreign.has(path) ? ', changed by somebody else too' : ''})`,
  );
  const most = names.length > 8 ? 7 : names.length;
  const more = names.length > most ? `, and ${names.length - most} more` : '';
  return [
    names.length === 0
      ? 'No files would change.'
      : `${files(names.length)} would change: ${names.slice(0, most).join(', ')}${more}`,
    ...unrecorded(plan),
  ].join('\n\n');
};

const unrecorded = (plan: RewindPlan): readonly string[] => [
  ...plan.lost.map(({ path, why }) => `Cannot be put back: ${shorter(path, plan)} (${why})`),
  ...plan.gaps,
];

const chooseWhat = async (
  point: RewindPoint,
  plan: RewindPlan,
  history: Checkpoints | undefined,
  { screen }: CommandPlace,
): Promise<What | undefined> => {
  for (let initial = 0; ; initial = 4) {
    const what = await screen.pick<What | 'show'>({
      title: `Back to before: ${clip(point.text, 50)}`,
      initial,
      items: [
        { value: 'both', label: 'Files and conversation', hint: files(plan.files.length) },
        { value: 'conversation', label: 'Conversation only' },
        { value: 'code', label: 'Files only', hint: files(plan.files.length) },
        { value: 'summary', label: 'Summarise the conversation from here' },
        ...(history && plan.files.length > 0
          ? [{ value: 'show' as const, label: 'Show what would change in files' }]
          : []),
        { value: 'never', label: 'Never mind' },
      ],
    });
    if (what !== 'show' || !history) return what === 'show' ? undefined : what;
    const { text: patch } = await history.preview(plan);
    const body = [`\`\`\`diff\n${patch.trimEnd()}\n\`\`\``, ...unrecorded(plan)].join('\n\n');
    await screen.panel('What going back would change', body);
  }
};

const goBack = async (
  what: What,
  point: RewindPoint,
  plan: RewindPlan,
  history: Checkpoints | undefined,
  place: CommandPlace,
): Promise<CommandResult> => {
  if (what === 'never') return { kind: 'done' };
  const said: string[] = [];
  if ((what === 'both' || what === 'code') && history) {
    const done = await putBack(history, plan, `before: ${clip(point.text)}`, place);
    if (!done) return text('Nothing was changed.');
    said.push(told(done, plan));
  }
  if (what !== 'code') {
    const problem = await place.session.rewind(point.uuid, what === 'summary' ? 'summarise' : 'drop');
    if (problem !== undefined) return refused([...said, problem].join('\n\n'));
    said.push(
      what === 'summary'
        ? 'The conversation from that prompt on is a summary now.'
        : `The conversation is back to before: ${clip(point.text)}`,
    );
    if (what !== 'summary') place.screen.fill?.(point.text);
  }
  return text(said.join('\n\n'));
};

/** Asks before anything that a person wrote is overwritten; undefined when they stepped back. */
const putBack = async (
  history: Checkpoints,
  plan: RewindPlan,
  why: string,
  { screen }: CommandPlace,
): Promise<Rewound | undefined> => {
  const foreign = plan.files.filter((file) => file.foreign);
  if (foreign.length === 0 || !screen.interactive) return history.restore(plan, { foreign: 'keep', why });
  const answer = await screen.pick<'keep' | 'overwrite'>({
    title: `${files(foreign.length)} changed outside of this conversation too: ${clip(foreign.map(({ path }) => shorter(path, plan)).join(', '), 120)}`,
    items: [
      { value: 'keep', label: 'Leave those as they are' },
      { value: 'overwrite', label: 'Put those back too; /rewind undo brings the changes back' },
    ],
  });
  return answer && history.restore(plan, { foreign: answer, why });
};

const told = ({ restored, skipped }: Rewound, plan: RewindPlan): string =>
  [
    restored.length === 0
      ? 'No files had to change.'
      : `Put back ${files(restored.length)}; /rewind undo takes that back.`,
    ...skipped.map(({ path, why }) => `- Left alone: ${shorter(path, plan)} (${why})`),
    ...(plan.gaps.length > 0 ? ['', ...plan.gaps] : []),
  ].join('\n');

const undo = async (history: Checkpoints, place: CommandPlace): Promise<CommandResult> => {
  const step: CheckpointStep | undefined = (await history.steps()).findLast(({ tool }) => tool === 'rewind');
  if (!step) return text('There is no rewind of files to undo.');
  const plan = await history.planOf(step);
  const done = await putBack(history, plan, 'undo', place);
  return text(done ? told(done, plan) : 'Nothing was changed.');
};
