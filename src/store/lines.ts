/**
 * One entry, one line. User and assistant lines have the fields that public transcript readers need (conventions 11);
 * what only Coppice knows stands in a `coppice` field. All other entries are lines of their own type, which such
 * readers pass over, save the ones they know: `summary`, `custom-title` and `system`.
 */
import type { SessionId } from '../contract/ids.ts';
import type { Entry, Origin } from '../contract/transcript.ts';
import {
  assistantExtra,
  assistantMessage,
  bodies,
  line as lineSchema,
  userExtra,
  userMessage,
} from './entry-schema.ts';

export interface LineFacts {
  /** The root's id, in a child's file too. */
  readonly session: SessionId;
  readonly agentId?: string;
  /** Semver: cost readers skip lines without it. */
  readonly version: string;
  readonly cwd: string;
  readonly branch?: string;
}

const PREFIX = 'coppice-';

/** Compact JSON without the line end. Hook scripts look for `"role":"assistant"` literally. */
export const lineOf = (entry: Entry, facts: LineFacts): string => JSON.stringify(recordOf(entry, facts));

const recordOf = (entry: Entry, facts: LineFacts): object => {
  const { type, uuid, parentUuid, timestamp, ...body } = entry;
  const stamp = { uuid, parentUuid, timestamp };
  const base = {
    parentUuid,
    isSidechain: facts.agentId !== undefined,
    ...(facts.agentId === undefined ? {} : { agentId: facts.agentId }),
    userType: 'external',
    cwd: facts.cwd,
    sessionId: facts.session,
    version: facts.version,
    gitBranch: facts.branch ?? '',
  };
  switch (entry.type) {
    case 'user':
      return {
        ...base,
        type,
        message: { role: 'user', content: entry.content },
        ...(entry.meta === undefined ? {} : { isMeta: entry.meta }),
        uuid,
        timestamp,
        ...userParts(entry),
      };
    case 'assistant': {
      const { role, id, ...message } = entry.message;
      return {
        ...base,
        type,
        message: { id, type: 'message', role, ...message, stop_sequence: null },
        ...(entry.requestId === undefined ? {} : { requestId: entry.requestId }),
        uuid,
        timestamp,
        ...(entry.partial === undefined ? {} : { coppice: { partial: entry.partial } }),
      };
    }
    case 'title':
      return entry.byPerson
        ? { type: 'custom-title', customTitle: entry.title, sessionId: facts.session, ...stamp }
        : { type: 'summary', summary: entry.title, leafUuid: parentUuid ?? uuid, ...stamp };
    case 'compacted':
      return {
        ...base,
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        level: 'info',
        isMeta: false,
        compactMetadata: { trigger: entry.trigger, preTokens: entry.preTokens },
        ...stamp,
        coppice: body,
      };
    case 'note':
      return {
        ...base,
        type: 'system',
        subtype: 'informational',
        content: entry.text,
        level: levels[entry.level],
        isMeta: false,
        ...stamp,
        coppice: body,
      };
    default:
      return {
        type: `${PREFIX}${type}`,
        sessionId: facts.session,
        gitBranch: facts.branch ?? '',
        ...stamp,
        body,
      };
  }
};

const levels = { info: 'info', warn: 'warning', error: 'error' } as const;

const userParts = (entry: Extract<Entry, { type: 'user' }>): object => {
  const { origin, mail, display, mode, responses, summaries } = entry;
  const kept = {
    origin,
    ...(mail === undefined ? {} : { mail }),
    ...(display === undefined ? {} : { display }),
    ...(summaries === undefined ? {} : { summaries }),
    ...(mode === undefined ? {} : { mode }),
  };
  const [only, ...more] = Object.entries(responses ?? {});
  if (responses === undefined) return { coppice: kept };
  if (only === undefined || more.length > 0 || typeof only[1] !== 'object' || only[1] === null)
    return { coppice: { ...kept, responses } };
  return { toolUseResult: only[1], coppice: { ...kept, responseOf: only[0] } };
};

/** What a line holds: an entry, something of others or a repetition to pass over, or damage (undefined). */
export const entryOf = (text: string): Entry | 'skip' | undefined => {
  const parsed = parse(text);
  if (parsed === undefined) return undefined;
  if (repeated(parsed)) return 'skip';
  const found = lineSchema.safeParse(parsed);
  if (!found.success)
    return typeof parsed === 'object' && parsed !== null && 'type' in parsed ? 'skip' : undefined;
  const { uuid, parentUuid, timestamp } = found.data;
  const body = bodyOf(found.data);
  // The schemas checked what the fold relies on; the rest of the body is as it was written.
  return body === 'skip' || body === undefined ? body : ({ ...body, uuid, parentUuid, timestamp } as Entry);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A title said again near the end of the file, for readers of the tail only. */
const repeated = (parsed: unknown): boolean =>
  typeof parsed === 'object' &&
  parsed !== null &&
  'coppice' in parsed &&
  typeof parsed.coppice === 'object' &&
  parsed.coppice !== null &&
  'again' in parsed.coppice;

const bodyOf = (
  record: Readonly<Record<string, unknown>> & { readonly type: string },
): object | 'skip' | undefined => {
  switch (record.type) {
    case 'user':
      return userBody(record);
    case 'assistant':
      return assistantBody(record);
    case 'custom-title':
      return typeof record.customTitle === 'string'
        ? { type: 'title', title: record.customTitle, byPerson: true }
        : undefined;
    case 'summary':
      return typeof record.summary === 'string'
        ? { type: 'title', title: record.summary, byPerson: false }
        : undefined;
    case 'system': {
      const kind =
        record.subtype === 'compact_boundary'
          ? 'compacted'
          : record.subtype === 'informational'
            ? 'note'
            : undefined;
      return kind === undefined || record.coppice === undefined ? 'skip' : checked(kind, record.coppice);
    }
    default: {
      const kind = record.type.startsWith(PREFIX) ? record.type.slice(PREFIX.length) : undefined;
      return kind !== undefined && isKind(kind) ? checked(kind, record.body) : 'skip';
    }
  }
};

const isKind = (kind: string): kind is keyof typeof bodies => Object.hasOwn(bodies, kind);

/** As the schema reads it: what an older line leaves out stands there with its default. */
const checked = (kind: keyof typeof bodies, body: unknown): object | undefined => {
  const found = bodies[kind].safeParse(body);
  return found.success ? { type: kind, ...found.data } : undefined;
};

const userBody = (record: Readonly<Record<string, unknown>>): object | undefined => {
  const message = userMessage.safeParse(record.message);
  const extra = userExtra.safeParse(record.coppice ?? { origin: guessed(message.data?.content) });
  if (!message.success || !extra.success) return undefined;
  const { origin, mail, display, mode, responses, responseOf, summaries } = extra.data;
  const content =
    typeof message.data.content === 'string'
      ? [{ type: 'text', text: message.data.content }]
      : message.data.content;
  const results =
    responses ?? (responseOf === undefined ? undefined : { [responseOf]: record.toolUseResult });
  return {
    type: 'user',
    content,
    origin,
    ...(mail === undefined ? {} : { mail }),
    ...(typeof record.isMeta === 'boolean' ? { meta: record.isMeta } : {}),
    ...(results === undefined ? {} : { responses: results }),
    ...(display === undefined ? {} : { display }),
    ...(summaries === undefined ? {} : { summaries }),
    ...(mode === undefined ? {} : { mode }),
  };
};

/** For lines that other programs wrote. */
const guessed = (content: unknown): Origin =>
  Array.isArray(content) && content.some((block) => block.type === 'tool_result')
    ? { kind: 'tools' }
    : { kind: 'person' };

const assistantBody = (record: Readonly<Record<string, unknown>>): object | undefined => {
  const message = assistantMessage.safeParse(record.message);
  const extra = assistantExtra.safeParse(record.coppice ?? {});
  if (!message.success || !extra.success) return undefined;
  const { type: _, stop_sequence: __, ...kept } = message.data;
  return {
    type: 'assistant',
    message: kept,
    ...(typeof record.requestId === 'string' ? { requestId: record.requestId } : {}),
    ...(extra.data.partial === undefined ? {} : { partial: extra.data.partial }),
  };
};
