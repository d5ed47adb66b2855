/** State is a fold: `apply` is the only place a session changes; resuming is reading entries again. */
import type { SessionId } from '../contract/ids.ts';
import {
  addUsage,
  type Message,
  modelUse,
  noUsage,
  type Usage,
  type UseByModel,
  withUse,
} from '../contract/message.ts';
import type { SessionState } from '../contract/state.ts';
import type { Entry, EntryBody, Origin } from '../contract/transcript.ts';

type Opened = Extract<EntryBody, { type: 'opened' }>;

/** Tokens a reply leaves in the window. */
const contextOf = (usage: Usage): number =>
  usage.input_tokens +
  usage.output_tokens +
  usage.cache_creation_input_tokens +
  usage.cache_read_input_tokens;

const begin = (id: SessionId, entry: Opened): SessionState => ({
  id,
  root: entry.root,
  ...(entry.parent ? { parent: entry.parent } : {}),
  agent: entry.agent,
  ...(entry.title ? { title: entry.title } : {}),
  model: entry.model,
  ...(entry.effort ? { effort: entry.effort } : {}),
  thinkingTokens: entry.thinkingTokens ?? 0,
  cwd: entry.cwd,
  project: entry.project,
  checkout: entry.checkout ?? entry.project,
  directories: entry.directories ?? [],
  mode: entry.mode,
  taskList: entry.taskList,
  ...(entry.team ? { team: entry.team } : {}),
  mailRead: entry.mailFrom ?? {},
  seen: {},
  messages: [],
  turns: 0,
  usage: noUsage,
  usageByModel: {},
  contextTokens: 0,
  onceDone: [],
  grants: [],
});

/** Opening again (resume): what the flags and settings of this run say replaces what the transcript said. */
const reopen = (state: SessionState, entry: Opened): SessionState => ({
  ...state,
  ...(entry.parent ? { parent: entry.parent } : {}),
  model: entry.model,
  ...(entry.effort ? { effort: entry.effort } : {}),
  thinkingTokens: entry.thinkingTokens ?? state.thinkingTokens,
  cwd: entry.cwd,
  checkout: entry.checkout ?? state.checkout,
  directories: entry.directories ?? [],
  mode: entry.mode,
  modeBeforePlan: undefined,
  // A child's plan was approved above it, and binds it still.
  planScope: entry.parent ? state.planScope : undefined,
  grants: [],
  barred: undefined,
  inForce: undefined,
  onceDone: entry.source === 'fork' || entry.source === 'clear' ? [] : state.onceDone,
});

const withMode = (state: SessionState, entry: Extract<EntryBody, { type: 'mode' }>): SessionState => ({
  ...state,
  mode: entry.mode,
  modeBeforePlan:
    entry.mode === 'plan' ? (state.mode === 'plan' ? state.modeBeforePlan : state.mode) : undefined,
  planFile: entry.planFile ?? state.planFile,
  planScope: entry.planScope === null ? undefined : (entry.planScope ?? state.planScope),
  planRequest: entry.mode === 'plan' ? (entry.planRequest ?? state.planRequest) : undefined,
});

const spent = (
  state: SessionState,
  model: string,
  usage: Usage,
): Pick<SessionState, 'usage' | 'usageByModel'> => ({
  usage: addUsage(state.usage, usage),
  usageByModel: withUse(state.usageByModel, model, modelUse(usage)),
});

const spentBelow = (state: SessionState, entry: Extract<EntryBody, { type: 'spent' }>): SessionState => {
  const { model, mail, team } = entry;
  const added = (all: UseByModel | undefined) => withUse(all ?? {}, model, modelUse(entry.usage));
  return {
    ...state,
    usageBelow: added(state.usageBelow),
    ...(team !== undefined && team === state.team ? { usageOfTeam: added(state.usageOfTeam) } : {}),
    ...(mail ? { mailRead: { ...state.mailRead, [mail.box]: mail.place } } : {}),
  };
};

const withReply = (
  state: SessionState,
  entry: Extract<EntryBody, { type: 'assistant' }>,
  push: Push,
): SessionState => {
  const { message } = entry;
  return {
    ...state,
    messages: message.content.length > 0 ? push(state.messages, message) : state.messages,
    ...spent(state, message.model, message.usage),
    contextTokens: entry.partial ? state.contextTokens : contextOf(message.usage),
    notices: entry.partial ? state.notices : undefined,
  };
};

/** Another team, even of the same name, has inboxes of its own that begin at the beginning. */
const withoutTeams = (places: SessionState['mailRead']): SessionState['mailRead'] =>
  Object.fromEntries(Object.entries(places).filter(([box]) => !box.startsWith('teams/')));

export type Push = (messages: readonly Message[], message: Message) => readonly Message[];
const copied: Push = (messages, message) => [...messages, message];

/** Requests that a compaction must keep word for word; a notice is none. */
const asksForWork = (origin: Origin): boolean =>
  origin.kind === 'person' ||
  origin.kind === 'command' ||
  (origin.kind === 'agent' && origin.ended === undefined);

/** Skills add up until a person speaks again. */
const withSkill = (state: SessionState, entry: Extract<EntryBody, { type: 'skill' }>): SessionState => ({
  ...state,
  skills: [
    ...(state.skills ?? []).filter((one) => one.name !== entry.name),
    { name: entry.name, path: entry.path, text: entry.text },
  ],
  inForce: {
    allow: [...new Set([...(state.inForce?.allow ?? []), ...entry.allow])],
    deny: [...new Set([...(state.inForce?.deny ?? []), ...(entry.deny ?? [])])],
    model: entry.model ?? state.inForce?.model,
    effort: entry.effort ?? state.inForce?.effort,
    ahead: entry.ahead ?? false,
  },
});

const withRules = (state: SessionState, entry: Extract<EntryBody, { type: 'grant' }>): SessionState => {
  const { rules, behavior = 'allow', how = 'add' } = entry;
  const changed = (before: readonly string[]): readonly string[] =>
    how === 'remove'
      ? before.filter((rule) => !rules.includes(rule))
      : [...new Set(how === 'replace' ? rules : [...before, ...rules])];
  if (behavior === 'allow') return { ...state, grants: changed(state.grants) };
  const barred = state.barred ?? [];
  const mine = barred.filter((one) => one.behavior === behavior).map(({ rule }) => rule);
  return {
    ...state,
    barred: [
      ...barred.filter((one) => one.behavior !== behavior),
      ...changed(mine).map((rule) => ({ behavior, rule })),
    ],
  };
};

const withUser = (
  state: SessionState,
  entry: Extract<EntryBody, { type: 'user' }>,
  push: Push,
): SessionState => ({
  ...(entry.mode ? withMode(state, { type: 'mode', mode: entry.mode }) : state),
  messages:
    entry.content.length > 0
      ? push(state.messages, { role: 'user', content: entry.content })
      : state.messages,
  mailRead: entry.mail ? { ...state.mailRead, [entry.mail.box]: entry.mail.place } : state.mailRead,
  turns: entry.origin.kind === 'person' ? state.turns + 1 : state.turns,
  inForce:
    entry.origin.kind !== 'person'
      ? state.inForce
      : state.inForce?.ahead
        ? { ...state.inForce, ahead: false }
        : undefined,
  prompt: asksForWork(entry.origin) && entry.content.length > 0 ? entry.content : state.prompt,
  notices:
    entry.origin.kind === 'agent' && entry.origin.ended !== undefined
      ? [...(state.notices ?? []), ...entry.content]
      : state.notices,
});

/**
 * What a rewind takes back: the conversation and what the model knows from it. Places reached in mailboxes, money,
 * mode, directory and worktree stay as they are: those are facts of the world.
 */
const goneBack = (now: SessionState, then: SessionState | undefined): SessionState => ({
  ...now,
  messages: then?.messages ?? [],
  prompt: then?.prompt,
  turns: then?.turns ?? 0,
  contextTokens: then?.contextTokens ?? 0,
  seen: then?.seen ?? {},
  skills: then?.skills,
  inForce: undefined,
});

/** What stood before the point that a `rewound` entry goes back to: the entry alone does not say it. */
export interface Before {
  readonly state: SessionState | undefined;
  /** The entry that the next one follows. */
  readonly parent: string | null;
}

const change = (state: SessionState, entry: Entry, push: Push, back: Before | undefined): SessionState => {
  switch (entry.type) {
    case 'opened':
      return reopen(state, entry);
    case 'user':
      return withUser(state, entry, push);
    case 'assistant':
      return withReply(state, entry, push);
    case 'refused':
      return entry.mail
        ? { ...state, mailRead: { ...state.mailRead, [entry.mail.box]: entry.mail.place } }
        : state;
    case 'mode':
      return withMode(state, entry);
    case 'model':
      return {
        ...state,
        model: entry.model ?? state.model,
        effort: entry.effort ?? state.effort,
        thinkingTokens: entry.thinkingTokens ?? state.thinkingTokens,
      };
    case 'cwd':
      return { ...state, cwd: entry.cwd };
    case 'directories':
      return { ...state, directories: entry.directories };
    case 'team':
      return {
        ...state,
        team: entry.team ?? undefined,
        taskList: entry.taskList,
        mailRead: { ...withoutTeams(state.mailRead), ...entry.mailFrom },
        usageOfTeam: undefined,
      };
    case 'worktree':
      return { ...state, worktree: entry.worktree ?? undefined, cwd: entry.cwd, checkout: entry.checkout };
    case 'seen':
      return { ...state, seen: { ...state.seen, [entry.path]: entry.file } };
    case 'title':
      return { ...state, title: entry.title };
    case 'grant':
      return withRules(state, entry);
    case 'skill':
      return withSkill(state, entry);
    case 'once':
      return { ...state, onceDone: [...state.onceDone, entry.key] };
    case 'compacted':
      return {
        ...state,
        ...(entry.usage ? spent(state, entry.model ?? state.model, entry.usage) : {}),
        messages: [{ role: 'user', content: entry.messages }],
        contextTokens: 0,
      };
    case 'spent':
      return entry.child === undefined
        ? { ...state, ...spent(state, entry.model, entry.usage) }
        : spentBelow(state, entry);
    case 'rewound':
      return back ? goneBack(state, back.state) : state;
    case 'failed':
    case 'hook':
    case 'checkpoint':
    case 'background':
    case 'ended':
    case 'note':
    case 'closed':
      return state;
  }
};

/** One entry, one new state. The first entry must be `opened`. */
export const apply = (
  state: SessionState | undefined,
  id: SessionId,
  entry: Entry,
  { push = copied, back }: { readonly push?: Push; readonly back?: Before | undefined } = {},
): SessionState => {
  if (!state) {
    if (entry.type !== 'opened')
      throw new Error(`A transcript begins with an opened entry, not ${entry.type}.`);
    return { ...begin(id, entry), last: entry.uuid };
  }
  return { ...change(state, entry, push, back), last: entry.uuid };
};
