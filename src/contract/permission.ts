import type { Mode } from './mode.ts';

export type Behavior = 'allow' | 'ask' | 'deny';

/** Where a rule was written. `flag` is the command line, `session` a grant that dies with the session. */
export type RuleSource = 'managed' | 'user' | 'project' | 'local' | 'flag' | 'session';

/** One parsed permission rule: `Tool` or `Tool(spec)`. */
export interface Rule {
  readonly behavior: Behavior;
  /** As written. */
  readonly text: string;
  /** Canonical tool name, or a glob over tool names. */
  readonly tool: string;
  /** What stood in the brackets; absent for a bare name and for `Tool(*)`. */
  readonly spec?: string;
  readonly source: RuleSource;
  readonly file?: string;
  /** Directory that a leading `/` in a path pattern means; absent: the project root. */
  readonly anchor?: string;
}
export type RuleSet = readonly Rule[];

/** Something wrong with a rule as written, for doctor and start-up warnings. */
export interface RuleProblem {
  readonly text: string;
  readonly behavior: Behavior;
  readonly source: RuleSource;
  readonly file?: string;
  /** A sentence that says what to do. */
  readonly problem: string;
}

/** A tool call to be judged. */
export interface PermissionCall {
  /** Any spelling. */
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Where the path led when the call was checked; where it leads now must be the same. */
  readonly real?: string;
  /** What the tool's own definition says; only used for tools that the engine does not know. */
  readonly readOnly?: boolean;
}

/** The only thing the engine asks the disk: where a symbolic link points, or undefined if it is none. */
export type ReadLink = (absolutePath: string) => string | undefined;

/** Everything a judgement depends on. All paths are absolute. */
export interface PermissionWorld {
  readonly rules: RuleSet;
  readonly mode: Mode;
  readonly cwd: string;
  readonly home: string;
  readonly project: string;
  /** Further working directories. */
  readonly directories: readonly string[];
  /** True when read-only git commands need no rule: a trusted folder and an environment that is switched off for programs. */
  readonly gitReadOnly: boolean;
  /** The one file that may be written in plan mode. */
  readonly planFile?: string;
  /** An agent's own folder: Markdown in it is the agent's to read and write, if the folder really lies in `root`. */
  readonly memory?: { readonly folder: string; readonly root: string };
  /** Files that the approved plan named: a first write elsewhere asks. Absent: no plan was approved. */
  readonly planScope?: readonly string[];
  /** True when Bash runs in a sandbox that makes asking needless. */
  readonly sandboxedBash?: boolean;
  readonly readLink: ReadLink;
}

/** How one command of a script, or one path of a call, was judged. */
export interface TraceLine {
  /** The command in resolved words, or the path. */
  readonly subject: string;
  readonly decision: Behavior;
  readonly reason: string;
  readonly rule?: string;
  readonly source?: string;
}

/** `rules` are all that speak of the tool, or of files where it touches some; whether they matched or not. */
export interface LookedAt {
  readonly mode: Mode;
  readonly rules: readonly {
    readonly behavior: Behavior;
    readonly text: string;
    /** Source, with its file when there is one. */
    readonly source: string;
  }[];
}

/** The engine's answer, with everything needed to explain it. */
export interface Judgement {
  readonly decision: Behavior;
  /** A sentence. */
  readonly reason: string;
  /** What decided: a rule, the mode, or nothing in particular. */
  readonly by: 'rule' | 'mode' | 'default' | 'analysis' | 'hook' | 'sandbox';
  readonly rule?: string;
  /** Source of the deciding rule, with its file when there is one. */
  readonly source?: string;
  readonly trace: readonly TraceLine[];
  /** Allow rules that would spare the next such question; empty when none is narrow enough. */
  readonly suggestions: readonly string[];
  /** The construct that could not be analysed. */
  readonly unanalysable?: string;
  /** What a question was decided among: the mode, and the rules about such calls. */
  readonly among?: LookedAt;
  /** True when only a person's yes may lift it: an ask rule or a guard, never a hook's or a mode's allow. */
  readonly firm?: boolean;
}
