/** Homes, keys, settings, rules, hooks and definitions: where they are and what is wrong with them. */
import { constants, statfs } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { outboundFetch } from '../fetch/outbound.ts';
import { legacyNeeds } from '../hooks/legacy.ts';
import { isThere } from '../lib/is-there.ts';
import { parseRule } from '../permission/rule.ts';
import { PRACTICE_MODEL } from '../practice/model-id.ts';
import { ruleTexts } from '../settings/load.ts';
import { type DoctorCheck, fail, ok, warn } from './doctor-check.ts';
import type { HookHouse } from './hook-house.ts';
import type { Library } from './library.ts';
import type { Models } from './models.ts';
import { readBindings } from './typing-habits.ts';
import type { Voice } from './voice.ts';
import type { World } from './world.ts';

const LITTLE_BYTES = 100 * 1024 * 1024;

const home = async (world: World): Promise<DoctorCheck> => {
  const { own, locked } = world.homes;
  if (locked)
    return fail(
      'home',
      `${locked} cannot be read: nothing in it counts, nothing is saved`,
      `Make it yours: chmod u+rwx ${locked}, or chown.`,
    );
  if (!own)
    return warn(
      'home',
      'none: HOME is not set',
      'Set HOME or COPPICE_CONFIG_DIR; nothing is saved until then.',
    );
  const found = await stat(own).catch(() => undefined);
  if (!found) {
    const writable = await canWrite(dirname(own));
    return writable
      ? ok('home', `${own} (made at the first conversation)`)
      : fail(
          'home',
          `${own} is not there and cannot be made`,
          `Make ${dirname(own)} writable, or set COPPICE_CONFIG_DIR.`,
        );
  }
  if (!found.isDirectory())
    return fail('home', `${own} is a file`, 'Move it away, or set COPPICE_CONFIG_DIR.');
  if (!(await canWrite(own)))
    return fail('home', `${own} cannot be written`, `Make it writable; until then nothing is saved.`);
  const { bavail, bsize } = await promisify(statfs)(own);
  if (bavail * bsize < LITTLE_BYTES)
    return warn(
      'home',
      `${own}: ${Math.round((bavail * bsize) / 1e6)} MB free`,
      'Free some space: conversations may not be saved.',
    );
  return (found.mode & 0o077) === 0
    ? ok('home', own)
    : warn('home', `${own} can be looked into by others`, `Run chmod 700 ${own}.`);
};

const canWrite = (path: string): Promise<boolean> => isThere(path, constants.W_OK);

const project = (world: World): DoctorCheck =>
  world.trust.trusted
    ? ok('project', `${world.project} (trusted)`)
    : ok(
        'project',
        `${world.project} (not trusted: its hooks, servers, variables and allow rules do not count)`,
      );

const credential = (models: Models): DoctorCheck => {
  if (models.practice) return ok('credential', 'none needed: practice model');
  if (models.credential) return ok('credential', models.credential);
  return models.baseUrl
    ? ok('credential', `none; ${models.baseUrl} may need none`)
    : warn('credential', 'none', 'Set ANTHROPIC_API_KEY, or type /login in coppice; --practice needs none.');
};

const endpoint = async (world: World, models: Models, online: boolean): Promise<DoctorCheck> => {
  if (models.practice) return ok('endpoint', 'none: practice, offline, nothing is sent');
  const url = models.baseUrl ?? 'https://api.anthropic.com';
  if (!URL.canParse(url)) return fail('endpoint', `"${url}" is no address`, 'Correct ANTHROPIC_BASE_URL.');
  if (!online) return ok('endpoint', `${url} (not asked; --online does)`);
  const failed = await unreachable(url, outboundFetch(world.env()) ?? globalThis.fetch);
  return failed
    ? fail(
        'endpoint',
        `${url}: ${failed}`,
        'Check the address, the network and proxy variables (HTTPS_PROXY, NO_PROXY).',
      )
    : ok('endpoint', `${url} answers`);
};

const ANSWER_MS = 10_000;

/** Any answer will do: without a credential it is a refusal. */
const unreachable = (url: string, fetch: typeof globalThis.fetch): Promise<string | undefined> =>
  fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) }).then(
    () => undefined,
    (error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return cause instanceof Error ? cause.message || cause.name : String(cause);
    },
  );

const settings = (world: World): readonly DoctorCheck[] => {
  const { layers, problems } = world.loaded();
  const files = layers.map((layer) => `${layer.file} (${layer.scope})`);
  return [
    ok('settings', files.length > 0 ? files.join(', ') : 'no settings file: all defaults'),
    ...problems.map((one) =>
      (one.key === '' ? fail : warn)(
        'settings',
        one.text,
        one.key === ''
          ? `Mend ${one.file}; nothing of it counts until then.`
          : `Correct or remove ${one.key} in ${one.file}.`,
      ),
    ),
  ];
};

const keys = async (world: World): Promise<readonly DoctorCheck[]> => {
  const { bindings, problems, files } = await readBindings(world);
  return [
    ...(bindings.length > 0 ? [ok('keys', `${bindings.length} keys bound anew`)] : []),
    ...problems.map((text) =>
      warn('keys', text, `Correct it in ${files.find((file) => text.startsWith(file))}.`),
    ),
  ];
};

const rules = (world: World): readonly DoctorCheck[] => {
  const read = ruleTexts(world.loaded(), world.project).map((one) => ({
    one,
    ...parseRule(one.text, one.behavior, { source: one.source, file: one.file, anchor: one.anchor }),
  }));
  const wrong = read.flatMap(({ one, problem }) =>
    problem
      ? [
          warn(
            'rules',
            `${one.behavior} ${one.text} (${one.file}): ${problem.problem}`,
            `Correct it in ${one.file}.`,
          ),
        ]
      : [],
  );
  return [ok('rules', `${read.length} permission rules`), ...wrong];
};

const hooks = (world: World, hookHouse: HookHouse): readonly DoctorCheck[] => {
  const sources = hookHouse.sources();
  const count = sources.flatMap(({ groups }) => groups.flatMap((group) => group.hooks)).length;
  const off = world.loaded().settings.disableAllHooks ? ' (all off: disableAllHooks)' : '';
  return [
    ok('hooks', `${count} hooks${off}`),
    ...hookHouse
      .problems()
      .map((one) => warn('hooks', `${one.path}: ${one.place}: ${one.text}`, `Correct it in ${one.path}.`)),
    ...legacyNeeds(sources).map((need) =>
      warn(
        'hooks',
        `${need.label} (${need.path}) reads ${need.variables.join(', ')}, which nothing sets`,
        'Read the JSON on standard input instead, for example with jq.',
      ),
    ),
  ];
};

const definitions = async (library: Library): Promise<readonly DoctorCheck[]> => {
  await library.ready();
  const all = library.catalog.definitions();
  return [
    ok('skills and agents', `${all.filter((one) => !one.shadowedBy).length} in force`),
    ...all.flatMap((one) => [
      ...(one.repairs.length > 0
        ? [ok('skills and agents', `${one.path}, repaired: ${one.repairs.join(' ')}`)]
        : []),
      ...one.problems.map((text) =>
        warn('skills and agents', `${one.path}: ${text}`, `Correct ${one.path}.`),
      ),
    ]),
  ];
};

const style = (voice: Voice): DoctorCheck =>
  voice.problem
    ? warn('output style', voice.problem, 'Correct outputStyle in your settings.')
    : ok('output style', voice.name);

const model = (world: World, models: Models): DoctorCheck => {
  if (models.practice) return ok('model', `${PRACTICE_MODEL} (offline, no language model)`);
  const name = world.env().ANTHROPIC_MODEL ?? world.loaded().settings.model ?? 'medium';
  const id = models.id(name);
  if (!models.known(name))
    return warn(
      'model',
      `${name} is not known`,
      'Use small, medium, large or a model id, or add it to prices in your settings.',
    );
  return models.facts(id).price
    ? ok('model', name === id ? id : `${name}: ${id}`)
    : ok('model', `${id} (no price known: tokens are shown instead of money)`);
};

/** What is looked at. */
export interface Configured {
  readonly world: World;
  readonly models: Models;
  readonly voice: Voice;
  readonly hookHouse: HookHouse;
  readonly library: Library;
}

export const configurationChecks = async (
  { world, models, voice, hookHouse, library }: Configured,
  online: boolean,
): Promise<readonly DoctorCheck[]> => [
  await home(world),
  project(world),
  credential(models),
  await endpoint(world, models, online),
  model(world, models),
  style(voice),
  ...settings(world),
  ...(await keys(world)),
  ...rules(world),
  ...hooks(world, hookHouse),
  ...(await definitions(library)),
];
