/**
 * `@path` in a prompt attaches the file: what is small goes along whole, what is large is named for Read.
 * `@server:uri` attaches a resource of a tool server that is connected.
 */

import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Servers } from '../contract/server.ts';
import type { SessionState } from '../contract/state.ts';
import { readRegular } from '../lib/regular-file.ts';

const most = 64 * 1024;
const mention = /(?:^|\s)@(?:"([^"]+)"|([^\s"']+))/g;

const attached = async (name: string, cwd: string): Promise<string | undefined> => {
  const path = isAbsolute(name) ? name : resolve(cwd, name);
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined;
  if (found.isDirectory()) return `<attached path="${path}">a directory; list it with Glob</attached>`;
  if (found.size > most) return `<attached path="${path}">${found.size} bytes; read it with Read</attached>`;
  const bytes = await readRegular(path).catch(() => undefined);
  if (!bytes) return undefined;
  if (bytes.includes(0))
    return `<attached path="${path}">a binary file; open it with Read if it can show it</attached>`;
  return `<attached path="${path}">\n${bytes.toString('utf8')}\n</attached>`;
};

/** Texts for the files that exist, in order. */
export const attachments = async (names: readonly string[], cwd: string): Promise<readonly string[]> =>
  (await Promise.all(names.map((name) => attached(name, cwd)))).filter((part) => part !== undefined);

/** The resources among the names; one that cannot be read is said to be so. */
const resources = async (names: readonly string[], servers: Servers): Promise<readonly string[]> => {
  const known = servers.states().map(({ name }) => name);
  const asked = names.flatMap((name) => {
    const server = known.find((one) => name.startsWith(`${one}:`));
    return server === undefined ? [] : [{ name, server, uri: name.slice(server.length + 1) }];
  });
  return Promise.all(
    asked.map(async ({ name, server, uri }) => {
      const read = await servers.readResource(server, uri, AbortSignal.timeout(30_000));
      if ('refused' in read) return `<attached resource="${name}">${read.refused}</attached>`;
      return read.text.length > most
        ? `<attached resource="${name}">${read.text.length} characters; read it with ReadMcpResourceTool</attached>`
        : `<attached resource="${name}">\n${read.text}\n</attached>`;
    }),
  );
};

/** `typed` is the part of the text in which a mention counts. */
export const expandMentions = async (
  text: string,
  state: SessionState,
  servers: Servers,
  typed = text,
): Promise<string> => {
  const names = [...new Set([...typed.matchAll(mention)].map((match) => match[1] ?? match[2] ?? ''))].filter(
    (name) => name !== '',
  );
  const bare = names.map((name) => name.replace(/[.,;:!?)]+$/, ''));
  const found = [...(await attachments(bare, state.cwd)), ...(await resources(bare, servers))];
  return found.length === 0 ? text : `${text}\n\n${found.join('\n')}`;
};
