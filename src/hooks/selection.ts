/** Finds the handlers that an event reaches, in configured order, each once. */
import { createHash } from 'node:crypto';
import type { HookEvent, HookGroup, HookHandler, HookSource } from '../contract/hook.ts';
import { eventFacts } from './events.ts';
import { labelOf } from './label.ts';
import { compileMatcher, type Matcher, type MatchIf } from './match.ts';

/** A handler at its place in the configuration. */
export interface Placed {
  readonly source: HookSource;
  readonly group: HookGroup;
  readonly handler: HookHandler;
  readonly label: string;
  /** Names this very entry, for `once` and for finding it again. */
  readonly key: string;
  /** Equal for handlers that do the same: of those only the first runs. */
  readonly sameness: string;
  readonly matches: Matcher;
}

const settingsFiles: readonly HookSource['source'][] = ['managed', 'flag', 'local', 'project', 'user'];

const place = (source: HookSource, group: HookGroup, handler: HookHandler): Placed => {
  const { place: _, ...what } = handler;
  const { statusMessage: __, timeout: ___, ...deed } = what;
  const file = settingsFiles.includes(source.source) ? '' : source.path;
  const name = JSON.stringify([source.source, source.path, group.event, group.matcher ?? '', what]);
  return {
    source,
    group,
    handler,
    label: labelOf(handler),
    key: createHash('sha256').update(name).digest('hex').slice(0, 16),
    sameness: JSON.stringify([file, Object.entries(deed).sort()]),
    matches: compileMatcher(group.event, group.matcher),
  };
};

export type Index = ReadonlyMap<HookEvent, readonly Placed[]>;

const indexOne = (source: HookSource): Index => {
  const index = new Map<HookEvent, Placed[]>();
  for (const group of source.groups) {
    // The Stop of an agent or a skill is the end of who runs it, as a child or as the main conversation.
    const isOwn = source.source === 'agent' || source.source === 'skill';
    const events: readonly HookEvent[] =
      isOwn && group.event === 'Stop' ? ['Stop', 'SubagentStop'] : [group.event];
    const placed = group.hooks.map((handler) => place(source, group, handler));
    for (const event of events) index.set(event, [...(index.get(event) ?? []), ...placed]);
  }
  return index;
};

/** Every source is worked out once, as long as it is the same object. */
export const createSelection = (matchIf: MatchIf) => {
  const warned = new Set<string>();
  const known = new WeakMap<HookSource, Index>();
  const indexOf = (source: HookSource): Index => {
    const found = known.get(source);
    if (found) return found;
    const made = indexOne(source);
    known.set(source, made);
    return made;
  };

  const placedFor = (event: HookEvent, sources: readonly HookSource[]): readonly Placed[] =>
    sources.flatMap((source) => (source.active ? (indexOf(source).get(event) ?? []) : []));

  const ifFits = (
    event: HookEvent,
    placed: Placed,
    payload: Readonly<Record<string, unknown>>,
    at: { readonly cwd: string; readonly project: string },
    warn: (text: string) => void,
  ): boolean => {
    const rule = placed.handler.if;
    if (rule === undefined) return true;
    if (!eventFacts[event].tool) return false;
    const { tool_name: tool, tool_input: input } = payload;
    if (typeof tool !== 'string') return false;
    try {
      const fields = typeof input === 'object' && input !== null ? { ...input } : {};
      return matchIf(rule, { tool, input: fields }, at);
    } catch (error) {
      // A filter that cannot be read lets the hook run: a gate must not fall silent over a slip of the pen.
      if (!warned.has(placed.key))
        warn(`The filter ${rule} of hook ${placed.label} cannot be read: ${String(error)}. The hook runs.`);
      warned.add(placed.key);
      return true;
    }
  };

  return {
    has: (event: HookEvent, sources: readonly HookSource[]): boolean =>
      sources.some((source) => source.active && indexOf(source).has(event)),
    /** Matcher, then `if`, then one of each kind. */
    select(
      event: HookEvent,
      payload: Readonly<Record<string, unknown>>,
      sources: readonly HookSource[],
      at: { readonly cwd: string; readonly project: string },
      warn: (text: string) => void,
    ): readonly Placed[] {
      const seen = new Set<string>();
      return placedFor(event, sources).filter((placed) => {
        if (!placed.matches(payload) || seen.has(placed.sameness)) return false;
        if (!ifFits(event, placed, payload, at, warn)) return false;
        seen.add(placed.sameness);
        return true;
      });
    },
  };
};
