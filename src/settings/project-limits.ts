/** What a project's files may say (security 2.5): little before trust, never everything. */
import type { SensitiveSetting, Settings } from '../contract/settings.ts';
import type { Fault } from './check.ts';
import { isPlanFolder } from './plan-folder.ts';

/** Deny and ask rules always count; so does what only forbids. */
export const untrustedPart = (settings: Settings): Settings => {
  const { deny, ask, disableBypassPermissionsMode } = settings.permissions ?? {};
  const permissions = {
    ...(deny ? { deny } : {}),
    ...(ask ? { ask } : {}),
    ...(disableBypassPermissionsMode ? { disableBypassPermissionsMode } : {}),
  };
  return Object.keys(permissions).length === 0 ? {} : { permissions };
};

/** Variables that a repository must not set whatever a person trusts: keys, certificate checks, telemetry, where we live. */
const neverVariable =
  /^(ANTHROPIC_(API_KEY|AUTH_TOKEN|CUSTOM_HEADERS)|CLAUDE_CODE_OAUTH_TOKEN|NODE_TLS_REJECT_UNAUTHORIZED|OTEL_.*|COPPICE_(TRUST|SANDBOXED|CONFIG_DIR)|CLAUDE_CONFIG_DIR|IS_SANDBOX|HOME)$/;

const neverKey: Readonly<Partial<Record<keyof Settings, string>>> = {
  passCredentials: 'it hands out credentials',
  allowedHttpHookUrls: 'a project cannot widen where hooks may speak',
  httpHookAllowedEnvVars: 'a project cannot widen what hooks may send',
  enableAllProjectMcpServers: 'a project cannot approve its own servers',
  enabledMcpjsonServers: 'a project cannot approve its own servers',
  cleanupPeriodDays: 'it deletes conversations of all your projects',
  compatibility: 'it would switch off your own files in .claude',
};

/** Takes out what a project may never set, trusted or not. `project` is its folder, where it is known. */
export const projectPart = (
  settings: Settings,
  project?: string,
): { readonly settings: Settings; readonly faults: readonly Fault[] } => {
  const faults: Fault[] = [];
  const fault = (key: string, why: string): void =>
    void faults.push({
      key,
      found: 'a key that a project may not set',
      expected: `it in your user settings (${why})`,
    });
  const kept: { -readonly [Key in keyof Settings]: Settings[Key] } = { ...settings };
  for (const key of Object.keys(neverKey) as (keyof Settings)[]) {
    if (kept[key] === undefined) continue;
    fault(key, neverKey[key] ?? '');
    delete kept[key];
  }
  if (
    kept.plansDirectory !== undefined &&
    project !== undefined &&
    !isPlanFolder(kept.plansDirectory, project)
  ) {
    fault('plansDirectory', 'of a project it is a folder inside it, of which nothing is run');
    delete kept.plansDirectory;
  }
  if (kept.env) {
    const bad = Object.keys(kept.env).filter((name) => neverVariable.test(name));
    for (const name of bad) fault(`env.${name}`, 'a repository must not choose it');
    if (bad.length > 0)
      kept.env = Object.fromEntries(Object.entries(kept.env).filter(([name]) => !bad.includes(name)));
  }
  if (kept.sandbox) {
    const { enabled, required, ...rest } = kept.sandbox;
    for (const [key, value] of Object.entries({ enabled, required }))
      if (value === false) fault(`sandbox.${key}`, 'a project cannot switch the sandbox off');
    kept.sandbox = { ...rest, ...(enabled ? { enabled } : {}), ...(required ? { required } : {}) };
  }
  return { settings: kept, faults };
};

/** Harmless whoever sets it. */
const harmlessVariable =
  /^(CI|NODE_ENV|LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|TERM|RUST_BACKTRACE|PYTHONUNBUFFERED|COLUMNS|LINES)$/;

/** What runs code, opens or speaks to somebody: named to the person before a folder is trusted. */
export const sensitiveIn = (settings: Settings, file: string): readonly SensitiveSetting[] => {
  const found: SensitiveSetting[] = [];
  const add = (key: string, value: unknown): void => {
    if (value !== undefined && !(Array.isArray(value) && value.length === 0))
      found.push({ key, value, file });
  };
  for (const [name, value] of Object.entries(settings.env ?? {}))
    if (!harmlessVariable.test(name)) add(`env.${name}`, value);
  const { allow, defaultMode, additionalDirectories } = settings.permissions ?? {};
  add('permissions.allow', allow);
  if (defaultMode === 'acceptEdits' || defaultMode === 'bypassPermissions')
    add('permissions.defaultMode', defaultMode);
  add('permissions.additionalDirectories', additionalDirectories);
  for (const key of [
    'apiKeyHelper',
    'hooks',
    'disableAllHooks',
    'mcpServers',
    'statusLine',
    'subagentStatusLine',
    'fileSuggestion',
    'plugins',
    'enabledPlugins',
    'autoMemoryDirectory',
    'plansDirectory',
  ] as const)
    add(key, settings[key]);
  const { autoAllowBashIfSandboxed, excludedCommands, filesystem, network } = settings.sandbox ?? {};
  add('sandbox.autoAllowBashIfSandboxed', autoAllowBashIfSandboxed === true ? true : undefined);
  add('sandbox.excludedCommands', excludedCommands);
  add('sandbox.filesystem.allowWrite', filesystem?.allowWrite);
  add('sandbox.network.allowedDomains', network?.allowedDomains);
  return found;
};
