import type { CheckpointStep, Checkpoints } from '../contract/checkpoint.ts';
import type { CommandPlace, PickItem, SlashCommand } from '../contract/command.ts';
import { text } from './answer.ts';
import type { RewindDesk, RewindPoint } from './rewind.ts';

/** Steps that belong together: all of them, one turn, one agent. */
interface Share {
  readonly label: string;
  readonly steps: readonly CheckpointStep[];
}

const clip = (words: string): string => {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
};

const sharesOf = (steps: readonly CheckpointStep[], points: readonly RewindPoint[]): readonly Share[] => {
  const turns = points.map((point, at): Share => {
    const until = points[at + 1]?.at ?? Number.POSITIVE_INFINITY;
    return {
      label: `Turn ${at + 1}: ${clip(point.text)}`,
      steps: steps.filter((step) => step.at >= point.at && step.at < until),
    };
  });
  const agents = [...new Set(steps.map(({ agent }) => agent))];
  const byAgent = agents.map(
    (agent): Share => ({ label: `Agent ${agent}`, steps: steps.filter((step) => step.agent === agent) }),
  );
  return [
    { label: 'The whole session', steps },
    ...turns.filter((turn) => turn.steps.length > 0),
    ...(agents.length > 1 ? byAgent : []),
  ];
};

/** What git says to itself about a file; its name stands in the lines below. */
const withoutNoise = (patch: string): string =>
  patch
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(?:diff --git |index |(?:new|deleted) file mode |old mode |new mode )/.test(line))
    .join('\n');

const shown = async (history: Checkpoints, { label, steps }: Share): Promise<string> => {
  const { files, text: patch } = await history.diff(steps);
  const lines = files.map(({ path, added, removed }) => `- ${path} (+${added} -${removed})`);
  return [
    `**${label}**`,
    '',
    ...(lines.length > 0 ? lines : ['No file is different in the end.']),
    '',
    ...(patch ? ['```diff', withoutNoise(patch), '```'] : []),
  ].join('\n');
};

/** `/diff`: what this session changed, by turn and by agent. */
export const diffCommand = (desk: RewindDesk): SlashCommand => ({
  name: 'diff',
  description: 'What this session changed in files, by turn and by agent',
  source: 'builtin',
  instant: true,
  async run(_args, place: CommandPlace) {
    const history = desk.history();
    if (!history)
      return text(
        'Changes of files are not recorded here (fileCheckpointingEnabled is off, or there is nowhere to keep them).',
      );
    const steps = await history.steps();
    if (steps.length === 0) return text('This session has changed no files.');
    const shares = sharesOf(steps, await desk.points(place));
    const [whole] = shares;
    if (!place.screen.interactive || shares.length === 1)
      return text(whole ? await shown(history, whole) : '');
    const items: readonly PickItem<Share>[] = shares.map((share) => ({
      value: share,
      label: share.label,
      hint: share.steps.length === 1 ? '1 call' : `${share.steps.length} calls`,
    }));
    for (let initial = 0; ; ) {
      const chosen = await place.screen.pick({
        title: 'Changes',
        items,
        initial,
        preview: (share) => shown(history, share),
      });
      if (!chosen) return { kind: 'done' };
      initial = shares.indexOf(chosen);
      await place.screen.panel(chosen.label, await shown(history, chosen));
    }
  },
});
