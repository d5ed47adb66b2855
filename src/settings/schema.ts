/** The one description of `settings.json`: checks files, makes the JSON Schema for editors. */
import * as z from 'zod';
import { modes } from '../contract/mode.ts';
import type { Settings } from '../contract/settings.ts';

const flag = (says: string) => z.boolean().describe(says);
const text = (says: string) => z.string().describe(says);
const texts = (says: string) => z.array(z.string()).describe(says);
const amount = z.number().nonnegative();

const budget = z
  .strictObject({ usd: amount, tokens: amount, turns: amount, minutes: amount })
  .partial()
  .describe('What may be used up before it parks and asks.');

const commandLine = z.strictObject({
  type: z.literal('command').default('command'),
  command: z.string(),
  padding: z.number().optional(),
  refreshInterval: z.number().positive().optional(),
  hideVimModeIndicator: z.boolean().optional(),
});

/** `manual` is an old spelling; `auto` has no meaning here and becomes the default, with a warning (ruling 7). */
const mode = z
  .union([z.enum(modes), z.literal('manual').transform(() => 'default' as const)])
  .describe('Permission mode at the start.');

const permissions = z
  .strictObject({
    allow: texts('Calls that run unasked: Tool or Tool(pattern).'),
    ask: texts('Calls that always ask.'),
    deny: texts('Calls that never run.'),
    defaultMode: mode,
    additionalDirectories: texts('Further working directories.'),
    disableBypassPermissionsMode: z.literal('disable'),
  })
  .partial();

const sandbox = z
  .strictObject({
    enabled: z.boolean(),
    required: flag('Refuse to run commands when no sandbox can be had.'),
    autoAllowBashIfSandboxed: z.boolean(),
    excludedCommands: z.array(z.string()),
    filesystem: z
      .strictObject({
        allowWrite: z.array(z.string()),
        denyWrite: z.array(z.string()),
        denyRead: z.array(z.string()),
      })
      .partial(),
    network: z
      .strictObject({ allowedDomains: z.array(z.string()), deniedDomains: z.array(z.string()) })
      .partial(),
  })
  .partial();

const worktree = z
  .strictObject({
    baseRef: z.enum(['fresh', 'head']),
    symlinkDirectories: z.array(z.string()),
    sparsePaths: z.array(z.string()),
    disposableDirectories: texts(
      'Folders of dependencies and builds: ignored files in them hold no worktree back.',
    ),
  })
  .partial();

const price = z.strictObject({
  input: amount,
  output: amount,
  cacheWrite: amount.optional(),
  cacheRead: amount.optional(),
  window: amount.optional(),
  maxOutput: amount.optional(),
});

const limits = z
  .strictObject({
    session: budget,
    team: budget,
    agent: budget,
    agentDepth: z.int().nonnegative(),
    agentsAtOnce: z.int().positive(),
    warnAt: z.number().min(0).max(1),
  })
  .partial();

/** Numbers and booleans are what people write for variables. */
const variables = z.record(
  z.string(),
  z.union([z.string(), z.number().transform(String), z.boolean().transform(String)]),
);

const shape = {
  model: text('Model id, tier or alias.'),
  effortLevel: z.enum(['low', 'medium', 'high', 'xhigh', 'max']),
  alwaysThinkingEnabled: z.boolean(),
  fallbackModel: z.union([z.string(), z.array(z.string())]),
  availableModels: z.array(z.string()),
  modelTiers: z
    .record(z.string(), z.string())
    .describe('Model ids of small, medium and large, or of names of your own.'),
  prices: z.record(z.string(), price).describe('US dollars per million tokens, by model id.'),
  language: text('The language answers are written in.'),
  outputStyle: z.string(),
  agent: text('Agent definition that the main conversation runs as.'),
  env: variables.describe('Variables for commands, hooks and servers; "" takes one away.'),
  apiKeyHelper: text('A command that prints the key.'),
  passCredentials: texts('Credential variables that commands, hooks and servers may inherit.'),
  permissions,
  gitReadOnly: flag('Whether read-only git commands run unasked in a trusted folder.'),
  hooks: z.unknown().describe('Event names to lists of {matcher, hooks}.'),
  disableAllHooks: z.boolean(),
  allowManagedHooksOnly: z.boolean(),
  allowedHttpHookUrls: z.array(z.string()),
  httpHookAllowedEnvVars: z.array(z.string()),
  statusLine: commandLine,
  subagentStatusLine: commandLine,
  fileSuggestion: z.strictObject({ type: z.literal('command'), command: z.string() }),
  respectGitignore: z.boolean(),
  cleanupPeriodDays: amount.describe(
    'Days after which sessions that nobody wrote to are deleted (30); 0 keeps all.',
  ),
  plansDirectory: z.string(),
  showClearContextOnPlanAccept: z.boolean(),
  autoCompactEnabled: z.boolean(),
  autoCompactWindow: z.number().positive(),
  autoMemoryEnabled: z.boolean(),
  autoMemoryDirectory: z.string(),
  claudeMdExcludes: texts('Instruction files that are not read: paths or globs.'),
  fileCheckpointingEnabled: z.boolean(),
  includeGitInstructions: z.boolean(),
  includeCoAuthoredBy: z.boolean(),
  attribution: z.strictObject({ commit: z.string(), pr: z.string() }).partial(),
  worktree,
  agentSwarms: flag('Whether teams and messages between agents are offered.'),
  teammateMode: z
    .union([
      z.enum(['in-process', 'process']),
      z.enum(['auto', 'tmux', 'iterm2']).transform(() => 'in-process' as const),
    ])
    .describe('Where teammates run.'),
  compatibility: flag('Whether .claude homes are read beside .coppice.'),
  limits,
  sandbox,
  skillOverrides: z.record(z.string(), z.enum(['on', 'name-only', 'user-invocable-only', 'off'])),
  disableBundledSkills: z.boolean(),
  disableSkillShellExecution: z.boolean(),
  skillListingBudgetFraction: z.number().min(0).max(1),
  mcpServers: z.record(z.string(), z.unknown()),
  enableAllProjectMcpServers: z.boolean(),
  enabledMcpjsonServers: z.array(z.string()),
  disabledMcpjsonServers: z.array(z.string()),
  allowedMcpServers: z.array(z.unknown()),
  deniedMcpServers: z.array(z.unknown()),
  enabledPlugins: z.record(z.string(), z.unknown()),
  plugins: texts('Directories that hold a plugin each.'),
  theme: z.string(),
  editorMode: z.enum(['normal', 'vim', 'emacs']),
  verbose: z.boolean(),
  spinnerVerbs: z.strictObject({
    mode: z.enum(['append', 'replace']).optional(),
    verbs: z.array(z.string()),
  }),
  spinnerTipsEnabled: z.boolean(),
  showTurnDuration: z.boolean(),
  prefersReducedMotion: z.boolean(),
  syntaxHighlightingDisabled: z.boolean(),
  terminalTitleDisabled: z.boolean(),
  terminalProgressBarEnabled: z.boolean(),
  preferredNotifChannel: z.string(),
  respondToBashCommands: z.boolean(),
  companyAnnouncements: z.array(z.string()),
  vimInsertModeRemaps: z.record(z.string(), z.string()),
  askUserQuestionTimeout: amount,
  axScreenReader: z.boolean(),
} satisfies Record<keyof Settings, z.ZodType>;

export const settingsSchema = z.strictObject(shape).partial();

export const settingKeys: readonly string[] = Object.keys(shape);

/** Keys of files that other programs share: no effect here, no warning either. */
const elsewhere = [
  '$schema',
  'viewMode',
  'tui',
  'spinnerTipsOverride',
  'promptSuggestionEnabled',
  'keybindingFlavor',
  'extraKnownMarketplaces',
  'disableAutoMode',
  'forceLoginMethod',
  'forceLoginOrgUUID',
  'awsAuthRefresh',
  'awsCredentialExport',
  'otelHeadersHelper',
  'autoUpdatesChannel',
  'skipWebFetchPreflight',
  'feedbackSurveyState',
  'skipDangerousModePermissionPrompt',
  'autoUpdates',
  'hasCompletedOnboarding',
  'strictKnownMarketplaces',
];
export const isKeyOfOthers = (key: string): boolean => elsewhere.includes(key) || /^(\/\/|#|_)/.test(key);

/** For editors: what `settings.json` may hold. */
export const settingsJsonSchema = (): object => ({
  ...z.toJSONSchema(settingsSchema, { target: 'draft-7', io: 'input', unrepresentable: 'any' }),
  title: 'Coppice settings',
});
