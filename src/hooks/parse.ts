/** Reads `hooks` objects as people write them: what is wrong is named with its place, what is right beside it lives on. */
import * as z from 'zod';
import type { HookGroup, HookHandler, HookSource } from '../contract/hook.ts';
import { foreignEvents, hookEvents, isHookEvent } from './events.ts';
import { matcherFault } from './match.ts';
import { parseHandler } from './parse-handler.ts';

/** Something wrong in a hook configuration. */
export interface HookProblem {
  readonly path: string;
  /** `hooks.PreToolUse[0].hooks[1]`. */
  readonly place: string;
  /** A sentence that says what is wrong and what to write instead. */
  readonly text: string;
  /** True when nothing of this entry will ever run. */
  readonly dropped: boolean;
  readonly event?: string;
  readonly matcher?: string;
  readonly type?: string;
}

export interface ParsedHooks {
  readonly source: HookSource;
  readonly problems: readonly HookProblem[];
}

/** Where a configuration comes from: a `HookSource` without its groups. */
export type HookOrigin = Omit<HookSource, 'groups'>;

const record = z.record(z.string(), z.unknown());
const asRecord = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  record.safeParse(value).data;

/** People keep notes in JSON as keys: `// PostToolUse`, `_comment`, `#`, `$schema`, `description`. */
const isComment = (key: string): boolean => /^(\/\/|#|_|\$)|^(description|comment)$/i.test(key.trim());

const unknownEvent = (name: string): string => {
  if (foreignEvents.includes(name)) return `${name} is not fired here; this entry is skipped.`;
  const near = hookEvents.find((event) => event.toLowerCase() === name.trim().toLowerCase());
  return near
    ? `There is no hook event named ${name}; write ${near}.`
    : `There is no hook event named ${name}; this entry is skipped.`;
};

const kindOf = (value: unknown): string =>
  Array.isArray(value)
    ? 'a list'
    : value === null
      ? 'null'
      : value === undefined
        ? 'missing'
        : `a ${typeof value}`;

/**
 * The value of a `hooks` key: event names to lists of `{matcher?, hooks: [...]}` (spec 2.6).
 * Never throws; wrong shapes cost only themselves.
 */
export const parseHooks = (raw: unknown, origin: HookOrigin, root = 'hooks'): ParsedHooks => {
  const problems: HookProblem[] = [];
  const groups: HookGroup[] = [];
  const fault = (place: string, text: string, more: Partial<HookProblem> = {}) =>
    problems.push({ path: origin.path, place, text, dropped: true, ...more });

  const group = (event: string, value: unknown, place: string): void => {
    const entry = asRecord(value);
    if (!entry) {
      if (typeof value !== 'string')
        fault(place, `Expected {"matcher": ..., "hooks": [...]}, found ${kindOf(value)}.`, { event });
      return;
    }
    const matcher = entry.matcher ?? undefined;
    if (matcher !== undefined && typeof matcher !== 'string')
      return void fault(
        `${place}.matcher`,
        `matcher must be a string, found ${kindOf(matcher)}; this entry is skipped.`,
        {
          event,
        },
      );
    const listed = asRecord(entry.hooks) ? [entry.hooks] : entry.hooks;
    if (!Array.isArray(listed))
      return void fault(
        place,
        entry.type === undefined
          ? `hooks is ${kindOf(entry.hooks)}; write a list of handlers under "hooks".`
          : 'A handler stands here without a group; write {"hooks": [ ... ]} around it.',
        { event, matcher, type: typeof entry.type === 'string' ? entry.type : undefined },
      );
    if (!Array.isArray(entry.hooks))
      fault(`${place}.hooks`, 'hooks should be a list; the one handler in it is taken.', {
        event,
        matcher,
        dropped: false,
      });
    if (!isHookEvent(event)) return;
    const broken = matcherFault(event, matcher);
    if (broken) fault(`${place}.matcher`, broken, { event, matcher, dropped: false });
    const handlers = listed.flatMap((one: unknown, index): HookHandler[] => {
      const here = `${place}.hooks[${index}]`;
      if (typeof one === 'string' && one.trim().startsWith('//')) return [];
      const parsed = parseHandler(one, here);
      for (const problem of parsed.problems)
        fault(problem.place, problem.text, {
          event,
          matcher,
          type: parsed.type,
          dropped: parsed.handler === undefined,
        });
      return parsed.handler ? [parsed.handler] : [];
    });
    if (handlers.length > 0)
      groups.push({ event, ...(matcher === undefined ? {} : { matcher }), hooks: handlers });
  };

  const map = (events: Readonly<Record<string, unknown>>, at: string): void => {
    for (const [name, value] of Object.entries(events)) {
      if (isComment(name) || value === null) continue;
      const place = `${at}.${name}`;
      if (!isHookEvent(name)) {
        fault(place, unknownEvent(name), { event: name });
        continue;
      }
      if (Array.isArray(value)) value.forEach((one, index) => void group(name, one, `${place}[${index}]`));
      else if (asRecord(value)) {
        fault(place, `${name} should be a list; the one entry in it is taken.`, {
          event: name,
          dropped: false,
        });
        group(name, value, place);
      } else fault(place, `${name} must be a list of entries, found ${kindOf(value)}.`, { event: name });
    }
  };

  const whole = asRecord(raw);
  if (whole) map(whole, root);
  else if (Array.isArray(raw))
    raw.forEach((one: unknown, index) => {
      const events = asRecord(one);
      const place = `${root}[${index}]`;
      if (events && Object.keys(events).some(isHookEvent)) {
        fault(place, 'hooks should be an object of event names, not a list; the events in it are taken.', {
          dropped: false,
        });
        map(events, place);
      } else
        fault(
          place,
          'hooks must be an object of event names, such as {"PreToolUse": [...]}; this entry of a list is skipped.',
        );
    });
  else if (raw !== undefined && raw !== null)
    fault(root, `hooks must be an object of event names, found ${kindOf(raw)}.`);
  return { source: { ...origin, groups }, problems };
};

/** A plugin's `hooks/hooks.json`: `{description?, hooks: {...}}`, or the events themselves at the top. */
export const parsePluginHooks = (raw: unknown, origin: HookOrigin): ParsedHooks => {
  const file = asRecord(raw);
  if (file && Object.hasOwn(file, 'hooks')) return parseHooks(file.hooks, origin);
  return parseHooks(raw, origin, '$');
};
