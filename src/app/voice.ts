/** How the model speaks and works in this run: output style, language, what it knows of commits. Chosen at the start. */
import { basename, join } from 'node:path';
import { type OutputStyle, outputStyles, type StylePlace } from '../catalog/output-styles.ts';
import { FOREIGN_PROJECT_HOME, PROJECT_HOME } from '../settings/home.ts';
import { isProjectLayer } from '../settings/narrowing.ts';
import type { SystemParts } from './openings.ts';
import { packageRoot } from './package-root.ts';
import gitPrompt from './prompt/git.md';
import type { World } from './world.ts';

export interface Voice extends Pick<SystemParts, 'style' | 'language' | 'git'> {
  /** As the status line and scripts see it. */
  readonly name: string;
  /** A sentence when the style that is set does not exist. */
  readonly problem?: string;
}

/**
 * Who names a style chooses among their own and ours first: a project's file of that name does not slip in. Only where a
 * project's settings name it do its files go before (ruling 10); ours over foreign within a scope.
 */
const stylePlaces = ({ homes, project, loaded }: World): readonly StylePlace[] => {
  const { settings, sources } = loaded();
  const foreign = settings.compatibility !== false;
  const theirs = [PROJECT_HOME, ...(foreign ? [FOREIGN_PROJECT_HOME] : [])].map((home) => ({
    home: join(project, home),
    within: project,
  }));
  const mine = [homes.own, foreign ? homes.foreign : undefined, packageRoot()].flatMap((home) =>
    home === undefined ? [] : [{ home }],
  );
  const { outputStyle } = sources;
  return outputStyle && isProjectLayer(outputStyle) ? [...theirs, ...mine] : [...mine, ...theirs];
};

const gitText = ({ loaded, env }: World): string | undefined => {
  const { includeGitInstructions, attribution, includeCoAuthoredBy } = loaded().settings;
  if (includeGitInstructions === false || env().CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS === '1')
    return undefined;
  const mark = (text: string | undefined, where: string) =>
    text && includeCoAuthoredBy !== false ? [`- End ${where} with this, word for word:\n${text}`] : [];
  return [
    gitPrompt.trim(),
    ...mark(attribution?.commit, 'every commit message'),
    ...mark(attribution?.pr, 'the body of every pull request'),
  ].join('\n');
};

/** Nothing is read from the disk unless a style is set. */
export const chosenVoice = async (world: World): Promise<Voice> => {
  const { language, outputStyle } = world.loaded().settings;
  const base = { language, git: gitText(world) };
  const wish = outputStyle?.trim().toLowerCase() ?? 'default';
  if (wish === '' || wish === 'default') return { ...base, name: 'default' };
  const all = await outputStyles(stylePlaces(world));
  const file = (path: string) => basename(path).replace(/\.md$/i, '').toLowerCase();
  const style =
    all.find((one) => one.name.toLowerCase() === wish) ?? all.find(({ path }) => file(path) === wish);
  if (!style) return { ...base, name: 'default', problem: unknown(outputStyle ?? '', all) };
  return { ...base, name: style.name, style: { text: style.text, instead: !style.keepCoding } };
};

const unknown = (name: string, all: readonly OutputStyle[]): string =>
  `There is no output style "${name}"; the default is used. There are: ${['Default', ...all.map((style) => style.name)].join(', ')}.`;

/** The voice of the conversation now open: read it where it is needed. */
export interface LiveVoice extends Voice {
  /** Before a further conversation: style and language as they are set now. */
  choose(): Promise<void>;
}

export const liveVoice = async (world: World): Promise<LiveVoice> => {
  let now = await chosenVoice(world);
  return {
    get name() {
      return now.name;
    },
    get problem() {
      return now.problem;
    },
    get style() {
      return now.style;
    },
    get language() {
      return now.language;
    },
    get git() {
      return now.git;
    },
    async choose() {
      now = await chosenVoice(world);
    },
  };
};
