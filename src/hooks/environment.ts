/** The environment of command hooks (conventions 1, ruling 9). */
import { dirname } from 'node:path';
import type { HookSource } from '../contract/hook.ts';
import type { SessionState } from '../contract/state.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

/** Variables that hold a provider's credentials: no program that we start inherits them unless the person says so. */
const CREDENTIALS =
  /^(?:ANTHROPIC_(?:API_KEY|AUTH_TOKEN|CUSTOM_HEADERS|OAUTH_TOKEN|REFRESH_TOKEN)|CLAUDE_CODE_OAUTH_(?:TOKEN|REFRESH_TOKEN)|COPPICE_(?:API_KEY|AUTH_TOKEN))$/i;

export const isCredential = (name: string): boolean => CREDENTIALS.test(name);

/** What a hook may inherit: everything but credentials not named in `pass`, and telemetry settings. */
export const inherited = (env: Variables, pass: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined &&
        !(isCredential(entry[0]) && !pass.includes(entry[0])) &&
        !entry[0].startsWith('OTEL_'),
    ),
  );

export interface HookFacts {
  readonly session: SessionState;
  readonly source: HookSource;
  readonly pid: number;
  readonly cwd: string;
  /** File of `export` lines, on the events that have one. */
  readonly envFile?: string;
  readonly pluginData?: string;
}

/** The values behind `${CLAUDE_PROJECT_DIR}` and its kin: as variables, and as text in the argv form. */
export const placeholders = (facts: HookFacts): Readonly<Record<string, string>> => {
  const { source, session } = facts;
  const both = (name: string, value: string | undefined) =>
    value === undefined ? {} : { [`CLAUDE_${name}`]: value, [`COPPICE_${name}`]: value };
  return {
    ...both('PROJECT_DIR', session.project),
    ...both('PLUGIN_ROOT', source.pluginRoot),
    ...both('PLUGIN_DATA', facts.pluginData),
    ...both('SKILL_DIR', source.source === 'skill' ? dirname(source.path) : undefined),
    ...both('ENV_FILE', facts.envFile),
  };
};

export const hookVariables = (facts: HookFacts): Readonly<Record<string, string>> => {
  const { session } = facts;
  return {
    ...placeholders(facts),
    COPPICE: '1',
    CLAUDECODE: '1',
    COPPICE_SESSION_ID: session.root,
    CLAUDE_CODE_SESSION_ID: session.root,
    CLAUDE_CODE_CHILD_SESSION: '1',
    COPPICE_PID: String(facts.pid),
    CLAUDE_PID: String(facts.pid),
    ...(session.effort ? { COPPICE_EFFORT: session.effort, CLAUDE_EFFORT: session.effort } : {}),
    PWD: facts.cwd,
  };
};

/** Replaces `${NAME}` of the placeholders and leaves every other text alone. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\$\{([A-Z_]+)\}/g, (whole, name: string) => values[name] ?? whole);
