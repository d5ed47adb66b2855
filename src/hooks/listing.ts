/** What is configured, from where, and what is wrong with it: `/hooks` and `coppice hooks list`. */
import * as z from 'zod';
import type { HookHandler, HookSource } from '../contract/hook.ts';
import { labelOf } from './label.ts';
import type { HookProblem } from './parse.ts';

export const hookRow = z.object({
  event: z.string(),
  matcher: z.string().nullable(),
  if: z.string().nullable(),
  type: z.string().nullable(),
  label: z.string(),
  source: z.string(),
  path: z.string(),
  active: z.boolean(),
  problem: z.string().nullable(),
  place: z.string(),
  timeout: z.number().nullable(),
  once: z.boolean(),
  async: z.boolean(),
});
/** One line of `coppice hooks list --json`. */
export type HookRow = z.infer<typeof hookRow>;

const ownerOf = (place: string): string => place.replace(/\.(?:matcher|hooks)$/, '');

/** Whether a warning about one place concerns this handler: the handler's own, its group's, its event's. */
const concerns = (problem: HookProblem, handler: HookHandler): boolean => {
  const place = handler.place ?? '';
  const owner = ownerOf(problem.place);
  const within = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
  return !problem.dropped && (within(place, owner) || within(problem.place, place));
};

const row = (source: HookSource, problems: readonly HookProblem[]) =>
  source.groups.flatMap((group) =>
    group.hooks.map((handler): HookRow => {
      const wrong = problems.filter((one) => concerns(one, handler)).map((one) => one.text);
      const apart = handler.type === 'command' || handler.type === 'http' ? handler.async === true : false;
      return {
        event: group.event,
        matcher: group.matcher ?? null,
        if: handler.if ?? null,
        type: handler.type,
        label: labelOf(handler),
        source: source.source,
        path: source.path,
        active: source.active,
        problem: wrong.length > 0 ? wrong.join(' ') : null,
        place: handler.place ?? '',
        timeout: handler.timeout ?? null,
        once: handler.once ?? false,
        async: apart || (handler.type === 'command' && handler.asyncRewake === true),
      };
    }),
  );

/** Every handler in configured order, then, per file, the entries that will never run. */
export const hookRows = (
  sources: readonly HookSource[],
  problems: readonly HookProblem[],
): readonly HookRow[] =>
  sources.flatMap((source) => {
    const its = problems.filter((one) => one.path === source.path);
    const lost = its
      .filter((one) => one.dropped)
      .map(
        (one): HookRow => ({
          event: one.event ?? '',
          matcher: one.matcher ?? null,
          if: null,
          type: one.type ?? null,
          label: one.place,
          source: source.source,
          path: source.path,
          active: false,
          problem: one.text,
          place: one.place,
          timeout: null,
          once: false,
          async: false,
        }),
      );
    return [...row(source, its), ...lost];
  });
