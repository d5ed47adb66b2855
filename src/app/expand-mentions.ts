/**
 * What `@` brings along: files as Read shows them (`@path`, `@"a path"`, `@path#L5-20`), pictures and documents as such,
 * folders as lists, resources of connected tool servers (`@server:uri`). Looked up when a message is taken in.
 */
import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { CallId } from '../contract/ids.ts';
import type { UserBlock } from '../contract/message.ts';
import type { Judgement } from '../contract/permission.ts';
import type { Servers } from '../contract/server.ts';
import type { SessionState } from '../contract/state.ts';
import type { Tool } from '../contract/tool.ts';
import type { Effect } from '../contract/transcript.ts';
import { errorText } from '../lib/error-text.ts';
import type { JudgedCall } from '../loop/deps.ts';
import { mediaReader } from '../media/media-reader.ts';
import { takesDocuments } from '../model/facts.ts';
import { readTool } from '../tools/read.ts';
import type { World } from './world.ts';

export interface MentionDeps {
  readonly read: Tool;
  readonly home: string | undefined;
  /** Why a file is not read at all, though a person names it; undefined where it may be. */
  forbidden(path: string, state: SessionState): string | undefined;
  readonly servers?: Servers | undefined;
}

export interface Mentioned {
  readonly blocks: readonly UserBlock[];
  /** What Read would have recorded: that a file was seen. */
  readonly effects: readonly Effect[];
}

/** Characters of a resource, entries of a folder. */
const MOST_CHARS = 64 * 1024;
const MOST_ENTRIES = 300;
const mention = /(?:^|[\s([{])@(?:"([^"\n]+)"|([^\s"']+))/g;
const lines = /#L(\d+)(?:-L?(\d+))?$/;

/** The names behind `@`, each once. Marks at a word's end belong to the sentence. */
export const mentionsIn = (text: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(mention)]
      .map(([, quoted, bare = '']) => quoted ?? bare.replace(/[.,;:!?)\]}]+$/, ''))
      .filter((name) => name !== ''),
  ),
];

export const mentioned = async (
  names: readonly string[],
  state: SessionState,
  deps: MentionDeps,
  signal: AbortSignal,
): Promise<Mentioned> => {
  const found = await Promise.all(
    names.map(
      async (name) => (await file(name, state, deps, signal)) ?? (await resource(name, deps.servers, signal)),
    ),
  );
  return {
    blocks: found.flatMap((one) => one?.blocks ?? []),
    effects: found.flatMap((one) => one?.effects ?? []),
  };
};

/** One attachment between its marks; `problem` where there was nothing to attach. */
const framed = (kind: 'path' | 'resource', name: string, body: string, problem?: 'problem'): UserBlock => ({
  type: 'text',
  text: `<attached ${kind}="${name.replaceAll('"', '&quot;')}"${problem ? ' problem' : ''}>\n${body}\n</attached>`,
});

const file = async (
  name: string,
  state: SessionState,
  deps: MentionDeps,
  signal: AbortSignal,
): Promise<Mentioned | undefined> => {
  const [, first, last] = lines.exec(name) ?? [];
  const bare = first === undefined ? name : name.replace(lines, '');
  const path = placeOf(bare, state.cwd, deps.home);
  const there = await stat(path).catch(() => undefined);
  if (!there) return undefined;
  const why = deps.forbidden(path, state);
  if (why !== undefined)
    return { blocks: [framed('path', path, `Not attached: ${why}`, 'problem')], effects: [] };
  if (there.isDirectory()) return { blocks: [framed('path', path, await listing(path))], effects: [] };
  const range =
    first === undefined
      ? {}
      : { offset: Number(first), limit: Math.max(1, Number(last ?? first) - Number(first) + 1) };
  return read(path, range, state, deps.read, signal);
};

const placeOf = (name: string, cwd: string, home: string | undefined): string =>
  /^~(\/|$)/.test(name) && home ? join(home, name.slice(1)) : isAbsolute(name) ? name : resolve(cwd, name);

/** What is in a folder, folders first. */
const listing = async (path: string): Promise<string> => {
  try {
    const entries = (await readdir(path, { withFileTypes: true })).filter(({ name }) => name !== '.git');
    const names = entries
      .map((entry) => ({ folder: entry.isDirectory(), name: entry.name }))
      .toSorted((a, b) => Number(b.folder) - Number(a.folder) || a.name.localeCompare(b.name))
      .map(({ folder, name }) => `${name}${folder ? '/' : ''}`);
    const more = names.length - MOST_ENTRIES;
    return [
      ...names.slice(0, MOST_ENTRIES),
      ...(more > 0 ? [`[${more} more entries; Glob finds them]`] : []),
      ...(names.length === 0 ? ['(an empty folder)'] : []),
    ].join('\n');
  } catch (error) {
    return `The folder cannot be read: ${errorText(error)}`;
  }
};

const read = async (
  path: string,
  range: object,
  state: SessionState,
  tool: Tool,
  signal: AbortSignal,
): Promise<Mentioned> => {
  const call = tool.prepare({ file_path: path, ...range }, state);
  if ('invalid' in call) return { blocks: [framed('path', path, call.invalid, 'problem')], effects: [] };
  const outcome = await call.run({
    session: state,
    call: randomUUID() as CallId,
    signal,
    ask: async () => ({ kind: 'none', reason: 'Nobody is asked about an attachment.', source: 'headless' }),
    progress: () => undefined,
  });
  if (outcome.status !== 'ok')
    return { blocks: [framed('path', path, outcome.text, 'problem')], effects: [] };
  const media = (outcome.blocks ?? []).filter((block) => block.type !== 'text');
  return { blocks: [framed('path', path, outcome.text), ...media], effects: outcome.effects ?? [] };
};

/** One that cannot be read is said to be so. */
const resource = async (
  name: string,
  servers: Servers | undefined,
  signal: AbortSignal,
): Promise<Mentioned | undefined> => {
  const server = servers?.states().find((one) => name.startsWith(`${one.name}:`))?.name;
  if (!servers || server === undefined) return undefined;
  const uri = name.slice(server.length + 1);
  const got = await servers.readResource(server, uri, AbortSignal.any([signal, AbortSignal.timeout(30_000)]));
  if ('refused' in got) return { blocks: [framed('resource', name, got.refused, 'problem')], effects: [] };
  const body =
    got.text.length > MOST_CHARS
      ? `${got.text.length} characters; read it with ReadMcpResourceTool`
      : got.text;
  return { blocks: [framed('resource', name, body)], effects: [] };
};

/** What mentions stand on; rules that deny reading bind a person's `@` too. */
export const mentionDeps = (
  world: Pick<World, 'homes'>,
  judge: (call: JudgedCall, state: SessionState) => Judgement,
  servers?: { readonly servers: Servers | undefined },
): MentionDeps & { readonly servers: Servers | undefined } => ({
  read: readTool({ media: mediaReader(), documents: takesDocuments, maxChars: MOST_CHARS }),
  home: world.homes.user,
  forbidden(path, state) {
    const judgement = judge({ tool: 'Read', input: { file_path: path }, readOnly: true }, state);
    return judgement.decision === 'deny' && judgement.by === 'rule' ? judgement.reason : undefined;
  },
  get servers() {
    return servers?.servers;
  },
});
