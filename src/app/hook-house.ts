/** The hooks of settings, in force and wired to models, verifiers and files. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookSource } from '../contract/hook.ts';
import type { LoadedSettings } from '../contract/settings.ts';
import type { SessionState } from '../contract/state.ts';
import { createHooks, type HookDeps, type TrialHooks } from '../hooks/dispatcher.ts';
import { inForce } from '../hooks/in-force.ts';
import { type HookProblem, parseHooks } from '../hooks/parse.ts';
import { mask } from '../lib/mask.ts';
import { matchesIf } from '../permission/hook-filter.ts';
import { diskLinks } from '../permission/link-reader.ts';
import type { ModelAnswer, ModelQuestion } from './ask-model.ts';
import type { Models } from './models.ts';
import { pluginData } from './plugin-house.ts';
import type { World } from './world.ts';

export interface HookHouse {
  readonly hooks: TrialHooks;
  sources(): readonly HookSource[];
  problems(): readonly HookProblem[];
}

export interface HookHouseDeps {
  readonly world: World;
  readonly models: Models;
  /** Hooks of plugin folders, already parsed. */
  plugins(): readonly HookSource[];
  /** One question to a model, on behalf of a session. */
  ask(session: SessionState, question: ModelQuestion): Promise<ModelAnswer>;
  /** Opens a verifying sub-agent; bound late, because agents need hooks too. */
  readonly verify: NonNullable<HookDeps['verify']>;
  outputs(session: SessionState): Promise<string>;
}

const parsedSources = (
  loaded: LoadedSettings,
): { readonly sources: readonly HookSource[]; readonly problems: readonly HookProblem[] } => {
  const all = loaded.layers
    .filter((layer) => layer.settings.hooks !== undefined)
    .map((layer) =>
      parseHooks(layer.settings.hooks, {
        source: layer.scope,
        path: layer.file,
        foreign: layer.foreign,
        active: true,
      }),
    );
  return { sources: all.map((one) => one.source), problems: all.flatMap((one) => one.problems) };
};

export const createHookHouse = (deps: HookHouseDeps): HookHouse => {
  const { world, models } = deps;
  let cache:
    | {
        readonly loaded: LoadedSettings;
        readonly plugins: readonly HookSource[];
        readonly sources: readonly HookSource[];
        readonly problems: readonly HookProblem[];
      }
    | undefined;
  const current = () => {
    const loaded = world.loaded();
    const plugins = deps.plugins();
    if (cache?.loaded !== loaded || cache.plugins !== plugins) {
      const { sources, problems } = parsedSources(loaded);
      const policy = {
        disabled: loaded.settings.disableAllHooks === true,
        managedOnly: loaded.layers.some(
          (layer) => layer.scope === 'managed' && layer.settings.allowManagedHooksOnly === true,
        ),
        trusted: world.trust.trusted,
      };
      cache = { loaded, plugins, sources: inForce([...sources, ...plugins], policy), problems };
    }
    return cache;
  };
  /** The person's own list, or undefined where no such list is written: absent limits nothing, empty allows nothing. */
  const own = (key: 'allowedHttpHookUrls' | 'httpHookAllowedEnvVars'): readonly string[] | undefined => {
    const lists = world
      .loaded()
      .layers.filter(({ scope }) => scope === 'user' || scope === 'managed' || scope === 'flag')
      .flatMap(({ settings }) => (settings[key] ? [settings[key]] : []));
    return lists.length > 0 ? lists.flat() : undefined;
  };
  const hooks = createHooks({
    sources: () => current().sources,
    matchIf: (rule, call, at) =>
      matchesIf(rule, call, { ...at, home: world.homes.user ?? '/', readLink: diskLinks }),
    newId: randomUUID,
    env: world.env,
    passCredentials: () => world.loaded().settings.passCredentials ?? [],
    pid: world.host.pid,
    envFile: async (session) => join(await deps.outputs(session), 'hook-environment.sh'),
    pluginData: (root) => pluginData(world.homes, root),
    evaluate: ({ session, ...question }) => deps.ask(session, { ...question, about: 'hook' }),
    verify: deps.verify,
    httpLimits: () => ({ urls: own('allowedHttpHookUrls'), variables: own('httpHookAllowedEnvVars') }),
    spill: (at, label) => async (text) => {
      const path = join(
        await deps.outputs(at.session),
        `hook-${label.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 40)}-${randomUUID().slice(0, 8)}.txt`,
      );
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    },
    mask: (text) => mask(text, models.secrets),
  });
  return { hooks, sources: () => current().sources, problems: () => current().problems };
};
