/** Earlier conversations, for `/resume` and `--resume`. */
import { randomUUID } from 'node:crypto';
import type { Conversations } from '../commands/resume.ts';
import { cutAt, lastBranch } from '../contract/branch.ts';
import { textOf } from '../contract/message.ts';
import type { SessionSummary, TranscriptStore } from '../contract/store.ts';
import type { Entry } from '../contract/transcript.ts';
import { errorText } from '../lib/error-text.ts';
import { branchOf, checkoutsOf } from './git-facts.ts';
import type { World } from './world.ts';

export const conversationsOf = (world: World): Conversations => {
  const { transcripts } = world.stores;
  return {
    async list(reach) {
      if (reach === 'everywhere') return transcripts.list();
      const projects = reach === 'here' ? [world.project] : await checkoutsOf(world.project);
      const lists = await Promise.all(projects.map((project) => transcripts.list(project)));
      return lists.flat().toSorted((a, b) => (a.updatedAt > b.updatedAt ? -1 : 1));
    },
    find: async (name) => (await transcripts.find(name, world.project)) ?? (await transcripts.find(name)),
    preview: async ({ path }) => (await standing(transcripts, path)).flatMap(said).slice(-6).join('\n\n'),
    rename: (summary, title) => rename(world, summary, title),
    async remove(summary) {
      const kept = await transcripts.remove(summary.id, summary.project);
      if (!kept) return undefined;
      return 'refused' in kept ? kept.refused : kept.failed;
    },
    branch: () => branchOf(world.project),
    now: () => new Date(),
  };
};

/** The last entries that no rewind took back; the file is read whole where its end does not say where one cut. */
const standing = async (transcripts: TranscriptStore, path: string): Promise<readonly Entry[]> => {
  const last = await transcripts.latest(path);
  const unclear = last.some((one) => one.type === 'rewound' && cutAt(last, one.to) < 0);
  return lastBranch(unclear ? (await transcripts.after(path, 0)).entries : last);
};

/** What a person reads of an entry. */
const said = (entry: Entry): readonly string[] => {
  if (entry.type === 'user' && entry.origin.kind === 'person')
    return [`**You:** ${entry.display ?? textOf(entry.content)}`];
  const text = entry.type === 'assistant' ? textOf(entry.message.content).trim() : '';
  return text === '' ? [] : [text];
};

/** Adds the title to a transcript that nobody has open. It is no newer for that. */
const rename = async (
  { stores: { transcripts } }: World,
  { id, project, path, cwd, branch, updatedAt }: SessionSummary,
  title: string,
): Promise<string | undefined> => {
  const last = (await transcripts.latest(path)).at(-1);
  const writer = await transcripts.open(id, project);
  if ('refused' in writer) return writer.refused;
  if ('failed' in writer) return writer.failed;
  const stamp = { uuid: randomUUID(), parentUuid: last?.uuid ?? null, timestamp: updatedAt };
  try {
    await writer.append({ type: 'title', title, byPerson: true, ...stamp }, { cwd, branch });
    return undefined;
  } catch (error) {
    return errorText(error);
  } finally {
    await writer.close();
  }
};
