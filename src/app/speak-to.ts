/** What a person says to one agent directly: typed in its view, or as `@name text`. */
import type { SessionId } from '../contract/ids.ts';
import { sameName } from '../contract/team.ts';
import type { Root } from './root.ts';

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
export const speakTo = async (root: Root, id: string, text: string): Promise<string | undefined> => {
  try {
    const sent = await root.agents.resume(id, text, root.session.state(), 'person');
    return 'refused' in sent ? sent.refused : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};
