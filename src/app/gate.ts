/** The permission engine, fed with the rules of settings, flags and this session. */
import type { RuleDestination } from '../contract/ask.ts';
import type {
  Behavior,
  Judgement,
  LookedAt,
  PermissionWorld,
  Rule,
  RuleProblem,
  RuleSet,
} from '../contract/permission.ts';
import type { LoadedSettings } from '../contract/settings.ts';
import type { SessionState } from '../contract/state.ts';
import { canonicalName } from '../contract/tool-names.ts';
import type { JudgedCall } from '../loop/deps.ts';
import { judge } from '../permission/judge.ts';
import { diskLinks } from '../permission/link-reader.ts';
import { isReadOnlyCommand, isReadOnlyInPlace } from '../permission/read-only.ts';
import { namesTool, originOf, parseRule, rulesAbout } from '../permission/rule.ts';
import { ruleTexts } from '../settings/load.ts';
import type { Flags } from './flags.ts';

/** One call as it was judged. */
export interface Decided {
  readonly tool: string;
  readonly subject: string;
  readonly judgement: Judgement;
}

export interface Gate {
  judge(call: JudgedCall, state: SessionState): Judgement;
  /** True when every command of a script is proven to change nothing; git that only reads included. */
  onlyReads(command: string, state: SessionState): boolean;
  /** True when a script may run beside others of its kind: it only reads, and stays where it is. */
  staysAside(command: string, state: SessionState): boolean;
  /** The same for a question of ours: it is not among the recent decisions. */
  look(call: JudgedCall, state: SessionState): Judgement;
  /** The last decisions, newest first. */
  recent(): readonly Decided[];
  bound(state: SessionState): SessionState;
  /** All rules that count for a session, with the session's own grants. */
  rules(state: SessionState): RuleSet;
  problems(): readonly RuleProblem[];
  /** A bare deny rule takes a tool from the model's list (conventions 2). */
  hides(tool: string, state: SessionState): boolean;
}

export interface GateDeps {
  readonly home: string;
  readonly flags: Flags;
  readonly trusted: boolean;
  loaded(): LoadedSettings;
  /** Extra allow rules while a skill or a definition of a child is at work, by session. */
  extra(state: SessionState): readonly Rule[];
  /** `Bash(git *)` in the tools of an agent's definition: the only ways in which its session may use the tool, by definition. */
  narrowed?(state: SessionState, tool: string): readonly (readonly string[])[];
  /** The folder that an agent keeps its memory in. */
  memory?(state: SessionState): PermissionWorld['memory'];
  /** The folder of a session's outputs, there or not. */
  outputs(state: SessionState): string;
  /** A child's state as those above it bind it now. */
  bound(state: SessionState): SessionState;
  /** Why a Bash command must not run at all: the sandbox is required, and there is none. */
  unboxed(command: string, state: SessionState): string | undefined;
  /** True when a Bash command runs in a sandbox that makes asking needless. */
  sandboxed(command: string, state: SessionState): boolean;
}

const parsed = (
  loaded: LoadedSettings,
  flags: Flags,
  project: string,
): { readonly rules: readonly Rule[]; readonly problems: readonly RuleProblem[] } => {
  const fromFlags = (behavior: 'allow' | 'deny', texts: readonly string[] | undefined) =>
    (texts ?? []).map((text) => parseRule(text, behavior, { source: 'flag', anchor: project }));
  const readings = [
    ...ruleTexts(loaded, project).map((one) =>
      parseRule(one.text, one.behavior, { source: one.source, file: one.file, anchor: one.anchor }),
    ),
    ...fromFlags('deny', flags.disallowedTools),
    ...fromFlags('allow', flags.allowedTools),
  ];
  return {
    rules: readings.flatMap(({ rule }) => (rule ? [rule] : [])),
    problems: readings.flatMap(({ problem }) => (problem ? [problem] : [])),
  };
};

export const createGate = (deps: GateDeps): Gate => {
  let cache:
    | { readonly loaded: LoadedSettings; readonly project: string; readonly all: ReturnType<typeof parsed> }
    | undefined;
  const standing = (project: string) => {
    const loaded = deps.loaded();
    if (cache?.loaded !== loaded || cache.project !== project)
      cache = { loaded, project, all: parsed(loaded, deps.flags, project) };
    return cache.all;
  };
  const inSession = (text: string, behavior: Behavior, { project }: SessionState): readonly Rule[] =>
    [parseRule(text, behavior, { source: 'session', anchor: project }).rule ?? []].flat();
  const barred = (state: SessionState): readonly Rule[] =>
    (state.barred ?? []).flatMap(({ rule, behavior }) => inSession(rule, behavior, state));
  /** What this session put aside for the model, and its plan, are the model's to read. */
  const ownFiles = (state: SessionState): readonly Rule[] =>
    [`${deps.outputs(state)}/**`, ...(state.planFile ? [state.planFile] : [])].flatMap((path) =>
      inSession(`Read(/${path})`, 'allow', state),
    );
  const rules = (state: SessionState): RuleSet => [
    ...standing(state.project).rules,
    ...barred(state),
    ...state.grants.flatMap((text) => inSession(text, 'allow', state)),
    ...ownFiles(state),
    ...deps.extra(state),
  ];
  const world = (state: SessionState, all: RuleSet, command?: string): PermissionWorld => ({
    rules: all,
    mode: state.mode,
    cwd: state.cwd,
    home: deps.home,
    project: state.checkout,
    directories: [...state.directories, ...(deps.loaded().settings.permissions?.additionalDirectories ?? [])],
    gitReadOnly: deps.trusted && deps.loaded().settings.gitReadOnly !== false,
    planFile: state.planFile,
    planScope: state.planScope,
    memory: deps.memory?.(state),
    sandboxedBash: command !== undefined && deps.sandboxed(command, state),
    readLink: diskLinks,
  });
  const look: Gate['judge'] = (call, session) => {
    const state = deps.bound(session);
    const command =
      canonicalName(call.tool) === 'Bash' && typeof call.input.command === 'string'
        ? call.input.command
        : undefined;
    const missing = command === undefined ? undefined : deps.unboxed(command, state);
    if (missing !== undefined)
      return { decision: 'deny', by: 'sandbox', reason: missing, trace: [], suggestions: [], firm: true };
    const ruled = world(state, rules(state), command);
    for (const only of deps.narrowed?.(state, call.tool) ?? []) {
      const texts = only.flatMap(
        (text) => parseRule(text, 'allow', { source: 'session', anchor: state.project }).rule ?? [],
      );
      const within = judge(call, { ...world(state, texts), mode: 'default' });
      const named = within.by === 'rule' || canonicalName(call.tool) === 'Bash';
      if (within.decision !== 'allow' || !named) return outside(state, only, within);
    }
    return judge(call, ruled);
  };
  const among = (tool: string, session: SessionState): LookedAt => {
    const state = deps.bound(session);
    // What a session may read of its own files nobody wrote as a rule.
    const own = new Set(ownFiles(state).map(({ text }) => text));
    const about = rulesAbout(canonicalName(tool), rules(state)).filter(({ text }) => !own.has(text));
    return {
      mode: state.mode,
      rules: about.map((rule) => ({ behavior: rule.behavior, text: rule.text, source: originOf(rule) })),
    };
  };
  let recent: readonly Decided[] = [];
  return {
    rules,
    bound: deps.bound,
    onlyReads: (command, state) =>
      isReadOnlyCommand(command, { ...world(deps.bound(state), []), gitReadOnly: true }),
    staysAside: (command, state) => isReadOnlyInPlace(command, world(deps.bound(state), [])),
    hides: (tool, state) => {
      const hidden = (rule: Rule) =>
        rule.behavior === 'deny' && rule.spec === undefined && namesTool(rule, tool);
      return standing(state.project).rules.some(hidden) || barred(state).some(hidden);
    },
    problems: () => cache?.all.problems ?? [],
    look,
    recent: () => recent,
    judge(call, state) {
      const judged = look(call, state);
      const judgement = judged.decision === 'ask' ? { ...judged, among: among(call.tool, state) } : judged;
      recent = [{ tool: call.tool, subject: subjectOf(call), judgement }, ...recent].slice(0, MOST_RECENT);
      return judgement;
    },
  };
};

const outside = (state: SessionState, only: readonly string[], within: Judgement): Judgement => ({
  decision: 'deny',
  reason: `Agents of type ${state.agent.type} may use this tool only as ${only.join(', ')}.`,
  by: 'rule',
  rule: only.join(', '),
  trace: within.trace,
  suggestions: [],
  firm: true,
});

const MOST_RECENT = 20;

const subjectOf = ({ input }: JudgedCall): string =>
  Object.values(input).find((value): value is string => typeof value === 'string') ?? '';

/** The settings file a remembered rule goes to. */
export const scopeOf = (to: Exclude<RuleDestination, 'session'>): 'local' | 'project' | 'user' =>
  (({ localSettings: 'local', projectSettings: 'project', userSettings: 'user' }) as const)[to];
