/** Completion of `@file`, `@agent` and `@server:uri`. */
import { relative } from 'node:path';
import type { AgentDefinition } from '../contract/agent.ts';
import type { Completion, CompletionPort } from '../contract/screen.ts';
import type { ServerResource } from '../contract/server.ts';
import { LEAD } from '../contract/team.ts';
import { ripgrep } from '../search/ripgrep.ts';
import type { House } from './house.ts';
import type { Root } from './root.ts';
import { definedOnly } from './variables.ts';
import type { World } from './world.ts';

const most = 20;
const freshMs = 10_000;

/** Higher is better; undefined when the letters do not stand in the path in this order. Names count more than folders. */
const closeness = (query: string, path: string): number | undefined => {
  if (query === '') return -path.length;
  const q = query.toLowerCase();
  const p = path.toLowerCase();
  const name = p.slice(p.lastIndexOf('/') + 1);
  if (name.startsWith(q)) return 1000 - path.length;
  const inName = name.indexOf(q);
  if (inName >= 0) return 800 - inName - path.length;
  const inside = p.indexOf(q);
  if (inside >= 0) return 600 - path.length;
  let at = -1;
  let gaps = 0;
  for (const char of q) {
    const next = p.indexOf(char, at + 1);
    if (next < 0) return undefined;
    gaps += next - at - 1;
    at = next;
  }
  return 200 - gaps - path.length / 10;
};

/** The best few without sorting everything: 100,000 files stay quick. */
const best = (query: string, paths: readonly string[]): readonly string[] => {
  const kept: { readonly path: string; readonly score: number }[] = [];
  for (const path of paths) {
    const score = closeness(query, path);
    if (score === undefined || (kept.length === most && score <= (kept.at(-1)?.score ?? 0))) continue;
    const place = kept.findIndex((one) => one.score < score);
    kept.splice(place < 0 ? kept.length : place, 0, { path, score });
    if (kept.length > most) kept.pop();
  }
  return kept.map(({ path }) => path);
};

/** Who can be spoken to as `@name text`: agents of the conversation, members of its team. */
export const namesOf = async (root: Root, house: House): Promise<readonly Completion[]> => {
  const { teams } = house.world.stores;
  const key = root.session.state().team;
  const team = key === undefined ? undefined : await teams.get(key);
  const members = team && 'members' in team ? team.members : [];
  const agents = root.agents
    .list()
    .flatMap(({ name, label, status }) => (name ? [{ name, label, status }] : []));
  const names = new Map<string, string>([
    ...agents.map(({ name, label, status }) => [name, `${label} · ${status}`] as const),
    ...members
      .filter(({ name, state }) => name !== LEAD && state !== 'ended')
      .map(({ name, state }) => [name, `teammate · ${state}`] as const),
  ]);
  return [...names].map(([name, detail]) => ({ insert: name, label: name, detail }));
};

export const createMentions = (
  world: World,
  cwd: () => string,
  agents: () => readonly AgentDefinition[],
  named: () => Promise<readonly Completion[]>,
  resources: () => readonly ServerResource[],
): CompletionPort => {
  const search = ripgrep({ env: definedOnly(world.env()) });
  let listed:
    | { readonly at: number; readonly root: string; readonly paths: Promise<readonly string[]> }
    | undefined;
  const files = (): Promise<readonly string[]> => {
    const root = cwd();
    if (!listed || listed.root !== root || Date.now() - listed.at > freshMs) {
      const paths = search
        .files({ root, glob: '**', signal: new AbortController().signal })
        .then((answer) => {
          if ('problem' in answer) return [];
          const names = answer.found.map((path) => relative(root, path));
          const folders = new Set(
            names.flatMap((name) => (name.includes('/') ? [`${name.slice(0, name.lastIndexOf('/'))}/`] : [])),
          );
          return [...folders, ...names];
        });
      listed = { at: Date.now(), root, paths };
    }
    return listed.paths;
  };
  return {
    async mentions(query): Promise<readonly Completion[]> {
      const spoken = (await named()).filter(({ insert }) =>
        insert.toLowerCase().includes(query.toLowerCase().replaceAll('"', '')),
      );
      const defined = agents()
        .filter(
          (agent) =>
            query === '' ||
            `agent-${agent.name}`.includes(query.toLowerCase()) ||
            agent.name.includes(query.toLowerCase()),
        )
        .slice(0, 5)
        .map((agent) => ({ insert: `agent-${agent.name}`, label: agent.name, detail: agent.description }));
      const held = resources()
        .filter(({ template }) => !template)
        .map((one) => ({
          insert: `${one.server}:${one.uri}`,
          label: `${one.server}:${one.uri}`,
          detail: one.name,
        }))
        .filter(
          ({ insert, detail }) =>
            query !== '' && `${insert} ${detail}`.toLowerCase().includes(query.toLowerCase()),
        )
        .slice(0, 10);
      const paths = best(query, await files()).map((path) => ({
        insert: /\s/.test(path) ? `"${path}"` : path,
        label: path,
      }));
      return query === ''
        ? [...spoken, ...paths.slice(0, Math.max(0, most - spoken.length - defined.length)), ...defined]
        : [...spoken, ...defined, ...held, ...paths].slice(0, most);
    },
  };
};
