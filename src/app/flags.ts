/** The command line (conventions 10). Knows only commander, so that `--help` costs little. */
import { Command, Option } from 'commander';

/** What the command line said; absent means not given. */
export interface Flags {
  readonly print?: boolean;
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  readonly inputFormat: 'text' | 'stream-json';
  readonly verbose?: boolean;
  readonly includePartialMessages?: boolean;
  readonly includeHookEvents?: boolean;
  readonly replayUserMessages?: boolean;
  readonly continue?: boolean;
  readonly resume?: string | true;
  readonly forkSession?: boolean;
  readonly sessionId?: string;
  readonly name?: string;
  readonly model?: string;
  readonly fallbackModel?: string;
  readonly effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  readonly agent?: string;
  readonly agents?: string;
  readonly permissionMode?: string;
  readonly permissionPromptTool?: 'stdio';
  readonly dangerouslySkipPermissions?: boolean;
  readonly allowDangerouslySkipPermissions?: boolean;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly tools?: readonly string[];
  readonly addDir?: readonly string[];
  readonly settings?: string;
  readonly settingSources?: string;
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: boolean;
  readonly pluginDir?: readonly string[];
  readonly systemPrompt?: string;
  readonly systemPromptFile?: string;
  readonly appendSystemPrompt?: string;
  readonly appendSystemPromptFile?: string;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly maxTokens?: number;
  readonly maxMinutes?: number;
  readonly jsonSchema?: string;
  readonly sessionPersistence: boolean;
  readonly worktree?: string | true;
  readonly teammateMode?: string;
  /** `TEAM/NAME`: this process is that teammate (started by its lead). */
  readonly teammate?: string;
  /** Trusts the folder where what can run in it has this fingerprint (given by its lead). */
  readonly trustAs?: string;
  readonly trust?: boolean;
  readonly practice?: boolean;
  readonly init?: boolean;
  readonly initOnly?: boolean;
  readonly maintenance?: boolean;
  readonly debug?: string | true;
}

const positive = (name: string) => (text: string) => {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new UsageError(`${name} takes a number above 0, not "${text}".`);
  return value;
};
/** Comma or blank separated, brackets kept whole; repeatable. */
const list = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  ...splitList(text),
];

/** Splits outside brackets: `Bash(git *), Read` is two (real spellings mix commas and blanks). */
const splitList = (text: string): readonly string[] => {
  const parts: string[] = [];
  let depth = 0;
  let part = '';
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && (char === ',' || char === ' ' || char === '\n')) {
      if (part) parts.push(part);
      part = '';
    } else part += char;
  }
  return part ? [...parts, part] : parts;
};

/** Wrong use of the command line: exit code 2. */
export class UsageError extends Error {}

const one = (flags: string, text: string, choices: readonly string[]) =>
  new Option(flags, text).choices(choices);

/** Descriptions of flags are wrapped in columns as narrow as this: the longest flags leave 30 of 80. */
const NARROWEST = 20;

/** The program with all its flags; subcommands are added by their own files. */
export const createProgram = (version: string): Command =>
  new Command('coppice')
    .description(
      'A coding assistant for the terminal: you type, a model works through tools, you see and approve what it does.',
    )
    .version(version, '-v, --version', 'print the version')
    .argument('[prompt]', 'what to begin with')
    .enablePositionalOptions()
    .allowExcessArguments(true)
    .showSuggestionAfterError(true)
    .helpOption('-h, --help', 'show this help')
    .configureHelp({ minWidthToWrap: NARROWEST })
    .option('-p, --print', 'answer once without a screen and exit')
    .addOption(
      one('--output-format <format>', 'with -p: how to print', ['text', 'json', 'stream-json']).default(
        'text',
      ),
    )
    .addOption(
      one('--input-format <format>', 'with -p: what standard input holds', ['text', 'stream-json']).default(
        'text',
      ),
    )
    .option('--verbose', 'show more of what happens')
    .option('--include-partial-messages', 'with stream-json: also the pieces of a reply as they come')
    .option('--include-hook-events', 'with stream-json: also runs of hooks')
    .option('--replay-user-messages', 'with stream-json: also what was read from standard input')
    .option('-c, --continue', 'go on with the latest conversation of this folder')
    .option('-r, --resume [id]', 'go on with a conversation by id or name, or choose one')
    .option('--fork-session', 'with --continue or --resume: go on in a copy')
    .option('--session-id <uuid>', 'the id of the new session')
    .option('-n, --name <name>', 'the name of the session')
    .option('--model <model>', 'small, medium, large, an alias or a model id')
    .option('--fallback-model <models>', 'models to use when the first is overloaded, comma separated')
    .addOption(
      one('--effort <level>', 'how hard the model thinks', ['low', 'medium', 'high', 'xhigh', 'max']),
    )
    .option('--agent <name>', 'talk to this agent instead of the main one')
    .option('--agents <json>', 'agent definitions as JSON')
    .option('--permission-mode <mode>', 'default, acceptEdits, plan, dontAsk or bypassPermissions')
    .addOption(
      one(
        '--permission-prompt-tool <tool>',
        'with stream-json in and out: who answers permission questions',
        ['stdio'],
      ),
    )
    .option('--dangerously-skip-permissions', 'same as --permission-mode bypassPermissions')
    .option('--allow-dangerously-skip-permissions', 'offer bypassPermissions among the modes')
    .option('--allowed-tools, --allowedTools <rules>', 'allow rules, e.g. "Bash(git *),Read"', list)
    .option('--disallowed-tools, --disallowedTools <rules>', 'deny rules', list)
    .option('--tools <names>', 'offer only these tools', list)
    .option(
      '--add-dir <dir>',
      'a further working directory; repeatable',
      (dir: string, before: readonly string[] | undefined) => [...(before ?? []), dir],
    )
    .option('--settings <file-or-json>', 'more settings')
    .option('--setting-sources <list>', 'which settings count: user,project,local')
    .option(
      '--mcp-config <file-or-json>',
      'tool servers; repeatable',
      (file: string, before: readonly string[] | undefined) => [...(before ?? []), file],
    )
    .option('--strict-mcp-config', 'only the tool servers of --mcp-config')
    .option(
      '--plugin-dir <dir>',
      'a plugin folder; repeatable',
      (dir: string, before: readonly string[] | undefined) => [...(before ?? []), dir],
    )
    .option('--system-prompt <text>', 'replace the system prompt')
    .option('--system-prompt-file <file>', 'replace the system prompt by a file')
    .option('--append-system-prompt <text>', 'add to the system prompt')
    .option('--append-system-prompt-file <file>', 'add a file to the system prompt')
    .option('--max-turns <n>', 'stop after this many requests to the model', positive('--max-turns'))
    .option('--max-budget-usd <usd>', 'stop when this much was spent', positive('--max-budget-usd'))
    .option('--max-tokens <n>', 'stop after this many tokens', positive('--max-tokens'))
    .option('--max-minutes <n>', 'stop after this many minutes', positive('--max-minutes'))
    .option('--json-schema <schema>', 'with -p: answer with JSON of this schema')
    .option('--no-session-persistence', 'keep nothing on disk')
    .option('-w, --worktree [name]', 'work in a git worktree of that name, or at a pull request: -w "#12"')
    .addOption(new Option('--teammate <team/name>').hideHelp())
    .addOption(new Option('--trust-as <fingerprint>').hideHelp())
    .addOption(one('--teammate-mode <mode>', 'how teammates run', ['in-process', 'process', 'auto']))
    .option('--trust', 'trust this folder for this run')
    .option('--practice', 'use the offline practice model')
    .option('--init', 'run the Setup hooks first')
    .option('--init-only', 'run the Setup hooks and exit')
    .option('--maintenance', 'run the Setup hooks for maintenance first')
    .option('--debug [filter]', 'write what happens to standard error');
