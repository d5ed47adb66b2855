/** What a person says to one agent directly: typed in its view, or as `@name text`. */
import { randomUUID } from 'node:crypto';
import type { SessionId } from '../contract/ids.ts';
import { sameName } from '../contract/team.ts';
import type { Root } from './root.ts';
import type { World } from './world.ts';

/** `@name text` to an agent of this conversation; undefined when it names none (a file mention). */
export const addressed = (
  root: Root,
  typed: string,
): { readonly id: SessionId; readonly text: string } | undefined => {
  const [, name, text] = /^@(\S+)\s+([\s\S]+)$/.exec(typed.trim()) ?? [];
  if (name === undefined || text === undefined) return undefined;
  const agent = root.agents.list().findLast((one) => one.name !== undefined && sameName(one.name, name));
  return agent && { id: agent.id, text };
};

/** Answers a sentence when it could not be said. An agent that does not run goes on with it. */
export const speakTo = async (
  root: Root,
  world: World,
  id: string,
  text: string,
): Promise<string | undefined> => {
  const agent = root.agents.list().find((one) => one.id === id || one.name === id);
  if (agent && (agent.status === 'running' || agent.status === 'waiting')) {
    try {
      await world.stores.mailbox.send(agent.id, { id: randomUUID(), text, origin: { kind: 'person' } });
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  const sent = await root.agents.resume(id, text, root.session.state());
  return 'refused' in sent ? sent.refused : undefined;
};
