/** Completion of `@`: files, folders, agents, and resources of tool servers. */
import { readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { AgentDefinition } from '../contract/agent.ts';
import type { Completion, CompletionPort } from '../contract/screen.ts';
import type { ServerResource } from '../contract/server.ts';
import { ripgrep } from '../search/ripgrep.ts';
import { askProgram } from '../shell/ask-program.ts';
import { fileNames } from './file-names.ts';
import type { World } from './world.ts';

export interface MentionSources {
  cwd(): string;
  agents(): Promise<readonly AgentDefinition[]>;
  resources(): readonly ServerResource[];
  /** Who can be spoken to as `@name text`. */
  named(): Promise<readonly Completion[]>;
}

const MOST = 20;
const MOST_AGENTS = 5;
const MOST_RESOURCES = 10;
const SUGGESTION_MS = 5000;
/** Places that are no part of the tree below: looked into one folder at a time. */
const elsewhere = /^(\/|~\/|\.\.?\/)/;

export const createMentions = (world: World, sources: MentionSources): CompletionPort => {
  const search = ripgrep({ env: world.childEnv() });
  const settings = () => world.loaded().settings;
  const below = fileNames(async (root) => {
    const ignored = settings().respectGitignore === false;
    const answer = await search.names({ root, ignored, signal: new AbortController().signal });
    return 'problem' in answer ? [] : answer.found;
  }, sources.cwd);

  const paths = async (query: string): Promise<readonly string[]> => {
    const own = settings().fileSuggestion;
    if (own) return suggested(own.command, query);
    return elsewhere.test(query) ? inFolder(query, sources.cwd(), world.homes.user) : below.best(query, MOST);
  };

  /** The person's own program: a query as JSON on its standard input, a path a line. */
  const suggested = async (command: string, query: string): Promise<readonly string[]> => {
    const answer = await askProgram({
      command,
      cwd: sources.cwd(),
      env: world.childEnv(),
      input: JSON.stringify({ query }),
      timeoutMs: SUGGESTION_MS,
    });
    const lines = 'output' in answer ? answer.output.split('\n') : [];
    return lines.filter((line) => line.trim() !== '').slice(0, MOST);
  };

  return {
    async mentions(query): Promise<readonly Completion[]> {
      const wanted = query.toLowerCase();
      const agents = (await sources.agents())
        .filter(({ name }) => `agent-${name}`.toLowerCase().includes(wanted))
        .map(({ name, description }) => ({ insert: `agent-${name}`, label: name, detail: description }));
      const resources = sources
        .resources()
        .filter(({ template }) => template !== true)
        .map((one) => ({ ...one, address: `${one.server}:${one.uri}` }))
        .filter(({ address, name }) => `${address} ${name}`.toLowerCase().includes(wanted))
        .map(({ address, name }) => ({ insert: address, label: address, detail: name }));
      const others: readonly Completion[] = [
        ...agents.slice(0, MOST_AGENTS),
        ...(query === '' ? [] : resources.slice(0, MOST_RESOURCES)),
      ];
      const named = (await sources.named()).filter(({ insert }) => insert.toLowerCase().includes(wanted));
      const files = (await paths(query)).map((path): Completion => ({ insert: path, label: path }));
      return query === ''
        ? [...named, ...files.slice(0, Math.max(0, MOST - named.length - others.length)), ...others]
        : [...named, ...others, ...files].slice(0, MOST);
    },
  };
};

/** What is in the folder that is being typed, by the begin of its name. */
const inFolder = async (query: string, cwd: string, home: string | undefined): Promise<readonly string[]> => {
  const typed = query.endsWith('/') ? query : `${dirname(query)}/`.replace(/^\/\/$/, '/');
  const begun = query.slice(typed.length).toLowerCase();
  const folder = typed.startsWith('~/') && home ? join(home, typed.slice(2)) : typed;
  const entries = await readdir(isAbsolute(folder) ? folder : resolve(cwd, folder), {
    withFileTypes: true,
  }).catch(() => []);
  return entries
    .filter(({ name }) => name.toLowerCase().startsWith(begun) && (begun !== '' || !name.startsWith('.')))
    .map((entry) => `${typed}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    .toSorted((a, b) => Number(b.endsWith('/')) - Number(a.endsWith('/')) || a.localeCompare(b))
    .slice(0, MOST);
};
