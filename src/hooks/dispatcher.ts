/** The hooks of a program: what an event reaches, run side by side, folded in configured order. */
import {
  type HookEngine,
  type HookEvent,
  type HookScope,
  type HookSource,
  type HookVerdict,
  noVerdict,
} from '../contract/hook.ts';
import { createBackground } from './background.ts';
import { type CommandPorts, commandRunner } from './command.ts';
import type { HttpPorts } from './http.ts';
import { type Fields, inputOf, spelled } from './input.ts';
import type { MatchIf } from './match.ts';
import { agentRunner, type ModelPorts, promptRunner } from './model-hook.ts';
import { createOnce } from './once.ts';
import { createProcesses } from './process.ts';
import { type Done, type Order, type Outfit, runHandler } from './run-handler.ts';
import { createSelection, type Placed } from './selection.ts';
import { closingBudget, timeoutOf } from './timeout.ts';
import { fold, settle } from './verdict.ts';
import type { Spill } from './words.ts';

export interface HookDeps extends CommandPorts, ModelPorts, HttpPorts {
  /** The configuration in force, first source first; the same array as long as nothing changed. */
  sources(): readonly HookSource[];
  matchIf: MatchIf;
  newId(): string;
  /** Where texts beyond 10,000 characters are kept. */
  spill?(at: HookScope, label: string): Spill;
  /** Takes the value of the key in use out of what is shown and kept. */
  mask?(text: string): string;
}

export interface Fired {
  readonly verdict: HookVerdict;
  /** In configured order; background runs only when they were awaited. */
  readonly runs: readonly Done[];
  /** How many handlers the event reached. */
  readonly matched: number;
}

/** For trying out: `coppice hooks run` and replays. */
export interface Trial {
  /** Background hooks are waited for; they wake nobody. */
  readonly awaitBackground: boolean;
  /** `once` is neither minded nor used up. */
  readonly keepOnce: boolean;
  only?(placed: Placed): boolean;
}

export interface TrialHooks extends HookEngine {
  /** `dispatch` with all its runs. Fields of the payload win over the common ones. Never throws. */
  fire(event: HookEvent, payload: Fields, at: HookScope, trial?: Trial): Promise<Fired>;
}

const nothing: Fired = { verdict: noVerdict, runs: [], matched: 0 };

/** Runs apart from the waiting agent: an order of its own, or the handler's wish. */
const isBackground = ({ handler }: Placed): boolean =>
  (handler.type === 'command' && (handler.async === true || handler.asyncRewake === true)) ||
  (handler.type === 'http' && handler.async === true);

const wakes = ({ handler }: Placed): boolean => handler.type === 'command' && handler.asyncRewake === true;

export const createHooks = (deps: HookDeps): TrialHooks => {
  const processes = createProcesses();
  const background = createBackground();
  const once = createOnce();
  const outfit: Outfit = {
    runners: {
      command: commandRunner(deps, processes),
      prompt: promptRunner(deps),
      agent: agentRunner(deps),
      // Brings along the tables of private addresses.
      http: async (call) => (await import('./http.ts')).httpRunner(deps)(call),
    },
    newId: deps.newId,
    mask: deps.mask,
    spill: deps.spill,
  };
  const selection = createSelection(deps.matchIf);

  const start = (order: Omit<Order, 'started'>, trial: Trial | undefined): Promise<Done> => {
    const { placed, at } = order;
    let begun = false;
    const started = () => {
      begun = true;
      if (!placed.handler.once || trial?.keepOnce) return;
      at.spend?.(placed.key).catch((error: unknown) =>
        at.emit({
          type: 'notice',
          level: 'error',
          text: `A once hook could not be kept as spent: ${String(error)}`,
        }),
      );
    };
    return runHandler(outfit, { ...order, started }).finally(() => {
      if (!begun && !trial?.keepOnce) once.release(placed, at);
    });
  };

  /** What a background run leaves: words for the model, or a message that wakes it. */
  const afterwards = async ({ placed, ran }: Done, at: HookScope): Promise<void> => {
    if (ran.wake !== undefined) await background.wake(ran.wake, placed.label, at);
    for (const text of ran.later ?? [])
      await (at.later?.(text, placed.label) ?? at.emit({ type: 'notice', level: 'info', text }));
  };
  const detach = (run: Promise<Done>, placed: Placed, at: HookScope): void => {
    const quiet = run
      .then((done) => afterwards(done, at))
      .catch((error: unknown) =>
        at.emit({ type: 'notice', level: 'error', text: `Hook ${placed.label}: ${String(error)}` }),
      );
    background.track(quiet, at.session.root, wakes(placed));
  };

  const run = async (
    event: HookEvent,
    payload: Fields,
    at: HookScope,
    placed: readonly Placed[],
    trial: Trial | undefined,
  ): Promise<Fired> => {
    const input = inputOf(event, payload, at);
    const budget =
      event === 'SessionEnd'
        ? closingBudget(
            placed.map((one) => one.handler),
            deps.env(),
          )
        : Number.POSITIVE_INFINITY;
    const running = placed.map(async (one): Promise<Done | undefined> => {
      const apart = isBackground(one);
      const done = start(
        {
          event,
          payload,
          input: spelled(event, input, one.source.foreign),
          placed: one,
          at,
          timeoutMs: Math.min(budget, timeoutOf(event, one.handler)),
          signal: apart ? background.signal : at.signal,
          background: apart,
        },
        trial,
      );
      if (trial?.awaitBackground) return (await done).rest ?? done;
      if (apart) return void detach(done, one, at);
      const { rest } = await done;
      if (rest) detach(rest, one, at);
      return done;
    });
    const runs = (await Promise.all(running)).filter((done) => done !== undefined);
    const verdict = settle(event, fold(runs.map((done) => done.ran.verdict)));
    return { verdict, runs, matched: placed.length };
  };

  const fire: TrialHooks['fire'] = async (event, payload, at, trial) => {
    if (event === 'UserPromptSubmit') background.heard(at.session.root);
    const sources = at.extra?.length ? [...deps.sources(), ...at.extra] : deps.sources();
    if (sources.length === 0 || !selection.has(event, sources)) return nothing;
    const chosen = selection
      .select(event, payload, sources, at.session, (text) => at.emit({ type: 'notice', level: 'warn', text }))
      .filter(({ handler }) => !(at.verifier && (handler.type === 'prompt' || handler.type === 'agent')))
      .filter((placed) => trial?.only?.(placed) ?? true)
      .filter((placed) => trial?.keepOnce || once.claim(placed, at));
    return chosen.length === 0 ? nothing : run(event, payload, at, chosen, trial);
  };

  return {
    fire,
    async dispatch(event, payload, at) {
      return (await fire(event, { ...payload }, at)).verdict;
    },
    listens: (event, extra) =>
      (event === 'UserPromptSubmit' && background.counting()) ||
      selection.has(event, extra?.length ? [...deps.sources(), ...extra] : deps.sources()),
    pendingWakes: background.pendingWakes,
    waking: background.waking,
    async close() {
      await background.close();
      await processes.close();
    },
  };
};
