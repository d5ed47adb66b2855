/** The JSON document that every type of hook is given (spec 2.7, conventions 1, rulings 18 and 19). */
import type { HookEvent, HookScope } from '../contract/hook.ts';
import { canonicalName, shortName } from '../contract/tool-names.ts';
import { eventFacts } from './events.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Fields of the payload win over the common ones. In-process children carry the root's ids and their own `agent_id`. */
export const inputOf = (event: HookEvent, payload: Fields, at: HookScope): Fields => {
  const { session } = at;
  const isChild = session.id !== session.root;
  const { id, type } = session.agent;
  return {
    session_id: session.root,
    transcript_path: isChild ? at.rootTranscriptPath : at.transcriptPath,
    cwd: session.cwd,
    permission_mode: at.mode,
    hook_event_name: event,
    ...(at.promptId === undefined ? {} : { prompt_id: at.promptId }),
    ...(session.effort === undefined ? {} : { effort: { level: session.effort } }),
    ...(isChild || id !== undefined ? { agent_id: id ?? session.id } : {}),
    ...(isChild || type !== 'main' ? { agent_type: type } : {}),
    ...(isChild ? { agent_transcript_path: at.transcriptPath } : {}),
    ...(session.parent === undefined ? {} : { parent_session_id: session.parent }),
    ...(session.team === undefined ? {} : { team_name: session.team }),
    ...payload,
  };
};

/** Existing hook scripts know the short names; our own homes see the names of the tools (ruling 19). */
export const spelled = (event: HookEvent, input: Fields, foreign: boolean): Fields => {
  const tool = input.tool_name;
  if (!eventFacts[event].tool || typeof tool !== 'string') return input;
  return { ...input, tool_name: foreign ? shortName(tool) : canonicalName(tool) };
};
