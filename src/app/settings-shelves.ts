/** What `/memory`, `/config`, `/permissions`, `/login` and `/logout` stand on. */
import { join } from 'node:path';
import type { Config } from '../commands/config.ts';
import type { SignIn } from '../commands/login.ts';
import type { Memory, MemoryFile } from '../commands/memory.ts';
import type { RulePlace, Rules } from '../commands/permissions.ts';
import type { RuleDestination } from '../contract/ask.ts';
import type { Rule } from '../contract/permission.ts';
import { parseRule } from '../permission/rule.ts';
import { PROJECT_HOME } from '../settings/home.ts';
import { settingKeys } from '../settings/schema.ts';
import type { Gate } from './gate.ts';
import type { Instructions } from './instructions.ts';
import type { Models } from './models.ts';
import type { Saving } from './saving.ts';
import { forgetKey, keepKey } from './stored-key.ts';
import { chosenVoice, type Voice } from './voice.ts';
import type { World } from './world.ts';

type Place = Exclude<RuleDestination, 'session'>;

/** Files in force, and where one could be written. */
export const memoryShelf = (world: World, instructions: Instructions, edit: Memory['edit']): Memory => ({
  async files(state) {
    const inForce = (await instructions.inForce(state)).map(
      (file): MemoryFile => ({
        path: file.path,
        kind: file.memoryType.toLowerCase(),
        loaded: file.parent ? `imported by ${file.parent}` : file.loadReason.replaceAll('_', ' '),
        chars: file.text.length,
      }),
    );
    const known = new Set(inForce.map(({ path }) => path));
    const possible: readonly MemoryFile[] = [
      { path: join(state.checkout, 'AGENTS.md'), kind: 'project', chars: 0 },
      { path: join(state.checkout, 'AGENTS.local.md'), kind: 'local', chars: 0 },
      ...(world.homes.own ? [{ path: join(world.homes.own, 'AGENTS.md'), kind: 'user', chars: 0 }] : []),
    ];
    return edit ? [...inForce, ...possible.filter(({ path }) => !known.has(path))] : inForce;
  },
  ...(edit ? { edit } : {}),
});

export const configShelf = (world: World, saving: Saving, voice: Voice): Config => ({
  rows: () => Object.entries(world.loaded().sources).map(([key, { value, file }]) => ({ key, value, file })),
  keys: settingKeys,
  here: () => ({ outputStyle: voice.name, language: voice.language ?? 'yours' }),
  async set(key, value) {
    const done = await saving.set(key, value);
    if ('refused' in done) return done;
    const problem = key === 'outputStyle' ? (await chosenVoice(world)).problem : undefined;
    return { ...done, note: problem ?? later[key] };
  },
});

const later: Readonly<Record<string, string>> = {
  outputStyle: 'It counts from the next conversation on: `/clear` begins one.',
  language: 'It counts from the next conversation on: `/clear` begins one.',
  model: 'It counts from the next start on; `/model` changes it here.',
  effortLevel: 'It counts from the next start on; `/effort` changes it here.',
  agent: 'It counts from the next start on.',
};

const destinations: Readonly<Record<RulePlace, Place>> = {
  local: 'localSettings',
  project: 'projectSettings',
  user: 'userSettings',
};

export const ruleShelf = (world: World, gate: Gate, saving: Saving): Rules => ({
  all: gate.rules,
  problems: gate.problems,
  recent: gate.recent,
  check(behavior, text) {
    const { rule, problem } = parseRule(text, behavior, { source: 'session' });
    return rule ? undefined : (problem?.problem ?? `"${text}" is no rule.`);
  },
  async add(behavior, rule, place) {
    const done = await saving.change(destinations[place], behavior, 'add', [rule]);
    return 'refused' in done ? done.refused : undefined;
  },
  async remove(rule) {
    const to = destinationOf(rule, world);
    if (!to)
      return `\`${rule.text}\` comes from ${rule.file ?? `the ${rule.source}`}; it can only be changed there.`;
    const done = await saving.change(to, rule.behavior, 'remove', [rule.text]);
    return 'refused' in done ? done.refused : undefined;
  },
});

/** Only our own files are written. */
const destinationOf = ({ file }: Rule, { homes, project }: World): Place | undefined => {
  if (homes.own && file === join(homes.own, 'settings.json')) return 'userSettings';
  if (file === join(project, PROJECT_HOME, 'settings.json')) return 'projectSettings';
  return file === join(project, PROJECT_HOME, 'settings.local.json') ? 'localSettings' : undefined;
};

export const signInShelf = (world: World, models: Models): SignIn => ({
  practice: models.practice,
  stronger() {
    const { env, loaded } = { env: world.env(), loaded: world.loaded() };
    if (env.ANTHROPIC_AUTH_TOKEN) return 'ANTHROPIC_AUTH_TOKEN';
    if (env.ANTHROPIC_API_KEY) return 'ANTHROPIC_API_KEY';
    return loaded.settings.apiKeyHelper ? 'apiKeyHelper' : undefined;
  },
  async keep(key) {
    models.takeKey(key);
    return keepKey(world.homes, key);
  },
  async forget() {
    const had = await forgetKey(world.homes);
    if (had) models.takeKey(undefined);
    return had;
  },
});
