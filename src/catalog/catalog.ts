/** Skills, commands and agents as they lie on the disk now. Reads nothing before it is asked. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { Definition } from '../contract/catalog.ts';
import type { SkillInfo } from '../contract/skill.ts';
import { beginsWith } from './body.ts';
import type { Found } from './definition.ts';
import { flagAgents } from './flag-agents.ts';
import { leadsOut, realFolders } from './leads-out.ts';
import { placesBelow } from './nested.ts';
import { definitionPlaces, type Place, placesTowards, type Whereabouts } from './places.ts';
import { agentName, byPrecedence } from './precedence.ts';
import type { ReadAlready } from './read-already.ts';
import { type Memory, scan } from './scan.ts';
import { slug } from './slug.ts';
import { type Executables, toAgent } from './to-agent.ts';
import { type SkillOverride, toSkill } from './to-skill.ts';

export interface CatalogDeps extends Executables {
  where(): Whereabouts;
  /** Text of `--agents`. */
  readonly flagAgents?: string;
  overrides?(): Readonly<Record<string, SkillOverride>>;
  /** Told which folders of the project are about to be read. */
  beforeReading?(projectFolders: readonly string[]): Promise<void>;
  /** Files that were read for another reason. */
  readonly already?: ReadAlready;
  /** False leaves the skills out that come with the program. */
  bundledSkills?(): boolean;
}

/** Names by kind that a reading brought or took. */
export interface Changes {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface Catalog {
  /** Resolves when everything was read once; the first call begins. */
  ready(): Promise<void>;
  /** Reads all again (files changed, trust was given, a directory was added) and says what is different. */
  refresh(): Promise<Changes>;
  /** A file was touched: homes between here and it come in. True when they brought something. */
  touch(file: string): Promise<boolean>;
  /** All homes below the start directory come in (lists). */
  includeNested(): Promise<void>;
  definitions(): readonly Definition[];
  /** In force, by name. */
  agents(): readonly AgentDefinition[];
  skills(): readonly SkillInfo[];
  /** The file behind a skill or agent in force. */
  found(kind: 'skill' | 'agent', name: string): Found | undefined;
  /** Texts of skills by name, for agents that begin with them; unknown names and what only a person may start bring nothing. */
  bodies(names: readonly string[]): readonly string[];
  /** Folders with definitions of the project and of added directories, there or not. */
  projectFolders(): readonly string[];
}

interface Reading {
  readonly all: readonly Found[];
  readonly agents: readonly AgentDefinition[];
  readonly skills: readonly SkillInfo[];
  readonly byName: ReadonlyMap<string, Found>;
}

const nothing: Reading = { all: [], agents: [], skills: [], byName: new Map() };

const byName =
  <T>(name: (one: T) => string) =>
  (a: T, b: T): number =>
    name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0;

const published = (found: Found): Definition => {
  const { place: _p, real: _r, bytes: _b, folders: _f, stem: _s, qualified: _q, ...definition } = found;
  return definition;
};

const compare = (before: readonly Found[], after: readonly Found[]): Changes => {
  const key = (one: Found) => `${one.kind} ${one.slash}`;
  const sign = (one: Found) =>
    JSON.stringify([one.path, one.bytes, one.description, one.fields, one.shadowedBy]);
  const old = new Map(before.map((one) => [key(one), sign(one)]));
  const now = new Map(after.map((one) => [key(one), sign(one)]));
  return {
    added: [...now.keys()].filter((one) => !old.has(one)),
    removed: [...old.keys()].filter((one) => !now.has(one)),
    changed: [...now].filter(([one, text]) => old.has(one) && old.get(one) !== text).map(([one]) => one),
  };
};

export const createCatalog = (deps: CatalogDeps): Catalog => {
  let now = nothing;
  let first: Promise<unknown> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const touched = new Map<string, Place>();
  const memory: Memory = new Map();

  const flagged = (): readonly Found[] => {
    const agents = deps.flagAgents === undefined ? [] : flagAgents(deps.flagAgents);
    return 'refused' in agents ? [] : agents;
  };

  const places = (): readonly Place[] => {
    const all = definitionPlaces(deps.where());
    const at = all.findIndex((place) => place.source !== 'managed' && place.source !== 'project');
    const fixed = at < 0 ? all.length : at;
    const bundled = deps.bundledSkills?.() ?? true;
    return [...all.slice(0, fixed), ...touched.values(), ...all.slice(fixed)].filter(
      (place) => bundled || place.source !== 'builtin' || place.kind === 'agent',
    );
  };

  const projectFolders = (): readonly string[] => [
    ...new Set(places().flatMap((place) => (place.source === 'project' ? [place.path] : []))),
  ];

  const settle = (found: readonly Found[]): Reading => {
    const overrides = deps.overrides?.() ?? {};
    const managed = found.filter((one) => one.source === 'managed');
    const all = byPrecedence([...managed, ...flagged(), ...found.filter((one) => one.source !== 'managed')]);
    const inForce = all.filter((one) => one.qualified || !one.shadowedBy);
    const skills = inForce.filter(
      (one) => one.kind !== 'agent' && overrides[one.slash] !== 'off' && overrides[one.name] !== 'off',
    );
    const agents = inForce.filter((one) => one.kind === 'agent');
    return {
      all,
      agents: agents.map((one) => toAgent(one, deps)).sort(byName((one) => one.name)),
      skills: skills
        .map((one) => toSkill(one, deps, overrides[one.slash] ?? overrides[one.name]))
        .sort(byName((one) => one.slash)),
      byName: new Map([
        ...skills.map((one): [string, Found] => [`/${one.slash}`, one]),
        ...agents.map((one): [string, Found] => [`@${agentName(one).toLowerCase()}`, one]),
      ]),
    };
  };

  /** What a project or a plugin takes by a link from elsewhere on the disk is not its own: it counts once it was accepted. */
  const atHome = (): ((found: Found) => boolean) => {
    const { cwd, project, directories, plugins } = deps.where();
    const folders = realFolders([project, cwd, ...directories]);
    const ofPlugin = new Map(plugins.map(({ root }) => [root, realFolders([root])]));
    return ({ source, path, real, place: { plugin } }) =>
      (source !== 'project' && source !== 'plugin') ||
      !leadsOut(real, (plugin && ofPlugin.get(plugin.root)) ?? folders) ||
      deps.trusted(path, plugin);
  };

  /** One reading at a time; the next one begins when the one before has ended. */
  const read = (): Promise<Changes> => {
    const next = last.then(async () => {
      const before = now.all;
      await deps.beforeReading?.(projectFolders());
      now = settle((await scan(places(), memory, deps.already)).filter(atHome()));
      return compare(before, now.all);
    });
    last = next.catch(() => undefined);
    return next;
  };

  return {
    async ready() {
      first ??= read();
      await first;
    },
    refresh() {
      const next = read();
      first ??= next;
      return next;
    },
    async touch(file) {
      const fresh = placesTowards(file, deps.where()).filter((place) => !touched.has(place.path));
      if (fresh.length === 0) return false;
      for (const place of fresh) touched.set(place.path, place);
      if ((await scan(fresh)).length === 0) return false;
      await read();
      return true;
    },
    async includeNested() {
      for (const place of placesBelow(deps.where())) touched.set(place.path, place);
      await read();
    },
    definitions: () => now.all.map(published),
    agents: () => now.agents,
    skills: () => now.skills,
    found: (kind, name) => now.byName.get(kind === 'agent' ? `@${name.toLowerCase()}` : `/${name}`),
    bodies: (names) =>
      names.flatMap((name) => {
        const found = now.byName.get(`/${slug(name)}`) ?? now.byName.get(`/${name}`);
        const skill = now.skills.find(({ slash }) => slash === found?.slash);
        return found && skill && skill.forModel !== 'hidden' ? [beginsWith(found, deps.where().project)] : [];
      }),
    projectFolders,
  };
};
