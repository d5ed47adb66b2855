/** What agents with `memory` keep from one run to the next: a folder of their own, whose MEMORY.md they begin with. */
import { join } from 'node:path';
import { leadsOut, realFolders } from '../catalog/leads-out.ts';
import type { AgentDefinition } from '../contract/agent.ts';
import { realOf } from '../lib/folders-below.ts';
import { readRegularSync } from '../lib/regular-file.ts';
import { safeName } from '../store/places.ts';
import { excludeFromGit } from './git-exclude.ts';
import type { World } from './world.ts';

export interface Memory {
  /** Where the agent may write Markdown without being asked. */
  readonly folder: string;
  /** The folder must lie in here, links followed. */
  readonly root: string;
}

type Place = Pick<World, 'homes' | 'project'> & { readonly loaded: World['loaded'] };

const MOST_LINES = 200;
const MOST_BYTES = 25 * 1024;

const folders = { user: 'agent-memory', project: 'agent-memory', local: 'agent-memory-local' } as const;

/** Ours first, then the one that other programs keep for the same agent: that one is only read. */
const placesOf = ({ memory, name }: AgentDefinition, place: Place): readonly (Memory | undefined)[] => {
  if (memory === undefined) return [];
  const { own, foreign } = place.homes;
  const root = { own, foreign: place.loaded().settings.compatibility === false ? undefined : foreign };
  const below = (home: string | undefined): Memory | undefined =>
    home === undefined ? undefined : { folder: join(home, folders[memory], safeName(name)), root: home };
  const inProject = (home: string): Memory => ({
    folder: join(place.project, home, folders[memory], safeName(name)),
    root: place.project,
  });
  return memory === 'user'
    ? [below(root.own), below(root.foreign)]
    : [inProject('.coppice'), ...(root.foreign === undefined ? [] : [inProject('.claude')])];
};

/** Undefined where it has none, or no home to keep one in. */
export const memoryOf = (definition: AgentDefinition, place: Place): Memory | undefined =>
  placesOf(definition, place)[0];

/** Of a project only its own file counts: where a link leads out of it, nothing is read. */
const beginning = ({ folder, root }: Memory, ofProject: boolean): string | undefined => {
  const path = join(folder, 'MEMORY.md');
  if (ofProject && leadsOut(realOf(path), realFolders([root]))) return undefined;
  try {
    const bytes = readRegularSync(path);
    const text = bytes.subarray(0, MOST_BYTES).toString('utf8').toWellFormed();
    const lines = text.split('\n');
    const cut = bytes.length > MOST_BYTES || lines.length > MOST_LINES;
    const shown = lines.slice(0, MOST_LINES).join('\n').trimEnd();
    return cut ? `${shown}\n[MEMORY.md is longer; only its beginning is shown. Make it shorter.]` : shown;
  } catch {
    return undefined;
  }
};

/** What its system prompt says of it: where it is, how to use it, and what is in it. */
const textOf = (definition: AgentDefinition, place: Place): string => {
  const places = placesOf(definition, place);
  const ofProject = definition.memory !== 'user';
  const text = places.flatMap((one) => (one && beginning(one, ofProject)) ?? [])[0];
  return [
    '# Your memory',
    '',
    `${places[0]?.folder} is yours and outlives this run. What stands in its MEMORY.md you are shown at every beginning; other Markdown files in it you read when you need them.`,
    'Write down there what will help you next time and is not plain from the project: how things are done here, what you found out the hard way, decisions and their reasons. Keep MEMORY.md short and right: correct and remove what no longer holds. Keep no secrets in it.',
    '',
    text === undefined || text.trim() === '' ? 'It is empty so far.' : `MEMORY.md:\n\n${text}`,
  ].join('\n');
};

const kept = ['Read', 'Edit', 'Write'] as const;

/** The definition of an agent as it runs: with its memory in the prompt, and with the tools to keep it, for that folder alone. */
export const withMemory = (definition: AgentDefinition, place: Place): AgentDefinition => {
  const memory = memoryOf(definition, place);
  if (!memory) return definition;
  if (definition.memory === 'local')
    void excludeFromGit(place.project, '.coppice/agent-memory-local/').catch(() => undefined);
  const named = (tool: string) =>
    (definition.tools ?? []).some((text) => text.replace(/\(.*$/s, '') === tool);
  const prompt = [definition.prompt, textOf(definition, place)].join('\n\n');
  return {
    ...definition,
    prompt,
    ...(definition.tools
      ? {
          tools: [
            ...definition.tools,
            ...kept.flatMap((tool) => (named(tool) ? [] : [`${tool}(/${memory.folder}/**)`])),
          ],
        }
      : {}),
  };
};
