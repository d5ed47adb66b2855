/** What the settings of a project could run, send or loosen, one line each: every key but those that only concern looks. */
import type { HookGroup, HookHandler } from '../contract/hook.ts';
import type { Settings } from '../contract/settings.ts';
import { parseHooks } from '../hooks/parse.ts';
import { serverEntries } from '../servers/config.ts';
import { said, saidBeside } from './said.ts';

const target = (handler: HookHandler): unknown => {
  switch (handler.type) {
    case 'command':
      return handler.command;
    case 'http':
      return handler.url;
    case 'prompt':
    case 'agent':
      return handler.prompt;
  }
};

const besideTarget: Readonly<Record<string, undefined>> = {
  type: undefined,
  place: undefined,
  command: undefined,
  url: undefined,
  prompt: undefined,
};

/** As they were parsed by whoever runs them. */
export const hookParts = (groups: readonly HookGroup[]): readonly string[] =>
  groups.flatMap(({ event, matcher, hooks }) =>
    hooks.map(
      (handler) =>
        `hook on ${event}${matcher === undefined ? '' : ` (${said(matcher)})`}: ${handler.type} ${said(target(handler))}${saidBeside({ ...handler, ...besideTarget })}`,
    ),
  );

const plainName = (name: string): string => (/^[\w@/.-]+$/.test(name) ? name : said(name));

/** One tool server as it is written: what would run or be spoken to, then everything else. */
export const serverPart = (name: string, entry: unknown): string => {
  const head = `tool server ${plainName(name)}: `;
  if (typeof entry !== 'object' || entry === null) return head + said(entry);
  const { type, command, args, url, ...rest }: Readonly<Record<string, unknown>> = { ...entry };
  return command !== undefined && (type === undefined || type === 'stdio')
    ? `${head}${said(command)}${args === undefined ? '' : ` ${said(args)}`}${saidBeside({ ...rest, url })}`
    : `${head}${said(url)}${saidBeside({ ...rest, type, command, args })}`;
};

export const serverParts = (servers: unknown): readonly string[] =>
  Object.entries(serverEntries(servers) ?? {}).map(([name, entry]) => serverPart(name, entry));

/** Keys that run nothing, send nothing and loosen nothing, whoever sets them. */
const harmless: ReadonlySet<string> = new Set<keyof Settings>([
  'effortLevel',
  'alwaysThinkingEnabled',
  'language',
  'respectGitignore',
  'showClearContextOnPlanAccept',
  'autoCompactEnabled',
  'autoCompactWindow',
  'includeGitInstructions',
  'includeCoAuthoredBy',
  'skillListingBudgetFraction',
  'theme',
  'editorMode',
  'verbose',
  'spinnerVerbs',
  'spinnerTipsEnabled',
  'showTurnDuration',
  'prefersReducedMotion',
  'syntaxHighlightingDisabled',
  'terminalTitleDisabled',
  'terminalProgressBarEnabled',
  'preferredNotifChannel',
  'companyAnnouncements',
  'axScreenReader',
]);

/** Settings as they count for a project: checked, without what a project may never set. */
export const settingsParts = (settings: Settings): readonly string[] => {
  const { hooks, mcpServers, env, permissions, ...rest } = settings;
  const origin = { source: 'project' as const, path: '', foreign: false, active: false };
  return [
    ...hookParts(parseHooks(hooks, origin).source.groups),
    ...serverParts(mcpServers),
    ...Object.entries(env ?? {}).map(
      ([name, value]) => `environment variable ${plainName(name)}=${said(value)}`,
    ),
    ...Object.entries(rest).flatMap(([key, value]) =>
      value === undefined || harmless.has(key) ? [] : [`${key}: ${said(value)}`],
    ),
    ...(permissions?.allow ?? []).map((rule) => `allowed without a question: ${said(rule)}`),
    ...(permissions?.additionalDirectories ?? []).map((dir) => `further working directory: ${said(dir)}`),
    ...(permissions?.defaultMode === undefined ? [] : [`permission mode: ${permissions.defaultMode}`]),
  ];
};
