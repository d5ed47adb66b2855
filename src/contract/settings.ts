import type { Mode } from './mode.ts';
import type { Effort } from './model.ts';
import type { Behavior, RuleSource } from './permission.ts';

/** Where a settings file stands; from strong to weak: managed, flag, local, project, user. */
export type SettingsScope = Exclude<RuleSource, 'session'>;

/** What one agent, a team, a session may use up; the first limit that is reached parks it. */
export interface Budget {
  /** US dollars; needs a model with a known price. */
  readonly usd?: number;
  readonly tokens?: number;
  readonly turns?: number;
  readonly minutes?: number;
}

/** US dollars per million tokens; sizes in tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite?: number;
  readonly cacheRead?: number;
  readonly window?: number;
  readonly maxOutput?: number;
}

export interface StatusLine {
  readonly type: 'command';
  readonly command: string;
  readonly padding?: number;
  /** Seconds. */
  readonly refreshInterval?: number;
  readonly hideVimModeIndicator?: boolean;
}

/** Everything `settings.json` can say (conventions 13), checked. Absent means not set anywhere: defaults live with their users. */
export interface Settings {
  readonly model?: string;
  readonly effortLevel?: Effort;
  readonly alwaysThinkingEnabled?: boolean;
  readonly fallbackModel?: string | readonly string[];
  readonly availableModels?: readonly string[];
  /** Tier or alias to model id. */
  readonly modelTiers?: Readonly<Record<string, string>>;
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  readonly language?: string;
  readonly outputStyle?: string;
  readonly agent?: string;
  /** An empty string takes a variable away. */
  readonly env?: Readonly<Record<string, string>>;
  /** A command that prints the key. */
  readonly apiKeyHelper?: string;
  /** Credential variables that hooks, Bash and servers may inherit (ruling 9). */
  readonly passCredentials?: readonly string[];
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
    readonly defaultMode?: Mode;
    readonly additionalDirectories?: readonly string[];
    readonly disableBypassPermissionsMode?: 'disable';
  };
  readonly gitReadOnly?: boolean;
  /** As written: the hooks room reads it file by file. */
  readonly hooks?: unknown;
  readonly disableAllHooks?: boolean;
  readonly allowManagedHooksOnly?: boolean;
  readonly allowedHttpHookUrls?: readonly string[];
  readonly httpHookAllowedEnvVars?: readonly string[];
  readonly statusLine?: StatusLine;
  readonly subagentStatusLine?: StatusLine;
  readonly fileSuggestion?: { readonly type: 'command'; readonly command: string };
  readonly respectGitignore?: boolean;
  readonly cleanupPeriodDays?: number;
  readonly plansDirectory?: string;
  readonly showClearContextOnPlanAccept?: boolean;
  readonly autoCompactEnabled?: boolean;
  /** Tokens of context at which to compact. */
  readonly autoCompactWindow?: number;
  readonly autoMemoryEnabled?: boolean;
  readonly autoMemoryDirectory?: string;
  readonly claudeMdExcludes?: readonly string[];
  readonly fileCheckpointingEnabled?: boolean;
  readonly includeGitInstructions?: boolean;
  readonly includeCoAuthoredBy?: boolean;
  readonly attribution?: { readonly commit?: string; readonly pr?: string };
  readonly worktree?: {
    readonly baseRef?: 'fresh' | 'head';
    readonly symlinkDirectories?: readonly string[];
    readonly sparsePaths?: readonly string[];
    /** Ignored files in folders of these names do not hold a worktree back (ruling 41). */
    readonly disposableDirectories?: readonly string[];
  };
  readonly agentSwarms?: boolean;
  readonly teammateMode?: 'in-process' | 'process';
  /** Whether `.claude` homes are read beside our own. */
  readonly compatibility?: boolean;
  readonly limits?: {
    readonly session?: Budget;
    readonly team?: Budget;
    readonly agent?: Budget;
    readonly agentDepth?: number;
    readonly agentsAtOnce?: number;
    /** Share of a budget at which to warn, 0 to 1. */
    readonly warnAt?: number;
  };
  readonly sandbox?: {
    readonly enabled?: boolean;
    /** Refuse to run commands when no sandbox can be had. */
    readonly required?: boolean;
    readonly autoAllowBashIfSandboxed?: boolean;
    readonly excludedCommands?: readonly string[];
    readonly filesystem?: {
      readonly allowWrite?: readonly string[];
      readonly denyWrite?: readonly string[];
      readonly denyRead?: readonly string[];
    };
    readonly network?: {
      readonly allowedDomains?: readonly string[];
      readonly deniedDomains?: readonly string[];
    };
  };
  readonly skillOverrides?: Readonly<Record<string, 'on' | 'name-only' | 'user-invocable-only' | 'off'>>;
  readonly disableBundledSkills?: boolean;
  readonly disableSkillShellExecution?: boolean;
  readonly skillListingBudgetFraction?: number;
  /** As written: the servers room reads it. */
  readonly mcpServers?: Readonly<Record<string, unknown>>;
  readonly enableAllProjectMcpServers?: boolean;
  readonly enabledMcpjsonServers?: readonly string[];
  readonly disabledMcpjsonServers?: readonly string[];
  readonly allowedMcpServers?: readonly unknown[];
  readonly deniedMcpServers?: readonly unknown[];
  readonly enabledPlugins?: Readonly<Record<string, unknown>>;
  /** Directories that hold a plugin each. */
  readonly plugins?: readonly string[];
  readonly theme?: string;
  readonly editorMode?: 'normal' | 'vim' | 'emacs';
  readonly verbose?: boolean;
  readonly spinnerVerbs?: { readonly mode?: 'append' | 'replace'; readonly verbs: readonly string[] };
  readonly spinnerTipsEnabled?: boolean;
  readonly showTurnDuration?: boolean;
  readonly prefersReducedMotion?: boolean;
  readonly syntaxHighlightingDisabled?: boolean;
  readonly terminalTitleDisabled?: boolean;
  readonly terminalProgressBarEnabled?: boolean;
  readonly preferredNotifChannel?: string;
  readonly respondToBashCommands?: boolean;
  readonly companyAnnouncements?: readonly string[];
  readonly vimInsertModeRemaps?: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly askUserQuestionTimeout?: number;
  readonly axScreenReader?: boolean;
}

/** One settings file (or `--settings` text) as it counts. */
export interface SettingsLayer {
  readonly scope: SettingsScope;
  /** Path; `--settings` for text from the command line. */
  readonly file: string;
  /** From a `.claude` home. */
  readonly foreign: boolean;
  /** What counts: checked, and cut down for a project that is not trusted. */
  readonly settings: Settings;
}

/** Something wrong in a settings file; the rest of the file counts. */
export interface SettingsProblem {
  readonly file: string;
  readonly scope: SettingsScope;
  /** `permissions.allow[2]`; empty for the file as a whole. */
  readonly key: string;
  readonly found: string;
  readonly expected: string;
  /** One sentence that names all of it. */
  readonly text: string;
}

/** A setting with the place that decided it. */
export interface SettingSource {
  readonly value: unknown;
  readonly scope: SettingsScope;
  readonly file: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** From strong to weak. */
  readonly layers: readonly SettingsLayer[];
  /** By key, `env.CI` for entries of objects. */
  readonly sources: Readonly<Record<string, SettingSource>>;
  readonly problems: readonly SettingsProblem[];
  /** Every path that was looked at, there or not: what to watch. */
  readonly files: readonly string[];
  /** What a project's files set that runs code, opens something or speaks to somebody: shown before trust. */
  readonly sensitive: readonly SensitiveSetting[];
}

/** A key that counts only in a trusted project (security 2.5). */
export interface SensitiveSetting {
  readonly key: string;
  readonly value: unknown;
  readonly file: string;
}

/** One rule text with its origin, for the permission engine. */
export interface RuleText {
  readonly behavior: Behavior;
  readonly text: string;
  readonly source: SettingsScope;
  readonly file: string;
  /** Directory that a leading `/` means: the project root, for user files their home. */
  readonly anchor: string;
}
