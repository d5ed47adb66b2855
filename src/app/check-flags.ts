/** What the command line says is checked before anything is opened: a wrong word costs no file and no request. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { modes } from '../contract/mode.ts';
import { builtinToolNames, isBuiltinTool, shortName } from '../contract/tool-names.ts';
import { nearNames } from '../lib/near-names.ts';
import { type Flags, UsageError } from './flags.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The flags with folders made absolute. Throws `UsageError` at the first that cannot be meant. */
export const checkFlags = (flags: Flags, cwd: string): Flags => {
  if (flags.inputFormat === 'stream-json' && flags.outputFormat !== 'stream-json')
    throw new UsageError('--input-format stream-json needs --output-format stream-json.');
  if (flags.sessionId !== undefined && !UUID.test(flags.sessionId))
    throw new UsageError(`--session-id takes a UUID, not "${flags.sessionId}".`);
  const goesOn = flags.continue || flags.resume !== undefined;
  if (flags.sessionId !== undefined && goesOn && !flags.forkSession)
    throw new UsageError('--session-id goes with --continue or --resume only together with --fork-session.');
  const mode = flags.permissionMode;
  if (mode !== undefined && ![...modes, 'normal', 'manual', 'auto'].some((one) => one === mode))
    throw new UsageError(`--permission-mode takes ${modes.join(', ')}, not "${mode}".`);
  readable('--system-prompt-file', flags.systemPromptFile, cwd);
  readable('--append-system-prompt-file', flags.appendSystemPromptFile, cwd);
  if (flags.forkSession && !goesOn) throw new UsageError('--fork-session needs --continue or --resume.');
  return {
    ...flags,
    ...(flags.sessionId === undefined ? {} : { sessionId: flags.sessionId.toLowerCase() }),
    ...(flags.tools === undefined ? {} : { tools: toolsOf(flags.tools) }),
    ...(flags.addDir === undefined ? {} : { addDir: flags.addDir.map((dir) => directory(dir, cwd)) }),
  };
};

const readable = (flag: string, file: string | undefined, cwd: string): void => {
  if (file === undefined) return;
  const path = isAbsolute(file) ? file : join(cwd, file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(`${flag}: ${path} is not a file.`);
};

/** `default` means all; a server's tools are known only later. */
const toolsOf = (names: readonly string[]): readonly string[] | undefined => {
  if (names.includes('default')) return undefined;
  const wrong = names.find((name) => !isBuiltinTool(name) && !name.startsWith('mcp__'));
  if (wrong === undefined) return names;
  const near = nearNames(wrong, builtinToolNames.map(shortName));
  throw new UsageError(
    `--tools: there is no tool "${wrong}".${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ` The tools are ${builtinToolNames.map(shortName).join(', ')}.`}`,
  );
};

const directory = (dir: string, cwd: string): string => {
  const path = isAbsolute(dir) ? dir : join(cwd, dir);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--add-dir: ${path} is not a directory.`);
  return realpathSync(path);
};

/** One word close to a subcommand is a mistake; any other text is a prompt. */
export const checkPrompt = (words: readonly string[], subcommands: readonly string[]): void => {
  const [first = '', ...more] = words;
  const near = /^[a-z-]{3,}$/.test(first) ? nearNames(first, subcommands) : [];
  if (near.length > 0)
    throw new UsageError(
      `There is no command "${first}". Did you mean "coppice ${near.join('" or "coppice ')}"? As a prompt: coppice -p "${words.join(' ')}".`,
    );
  if (more.length > 0)
    throw new UsageError(`A prompt of several words needs quotes: coppice "${words.join(' ')}".`);
};

const RULES = /^--(allowed-?tools|disallowed-?tools|tools)$/i;

/**
 * `--allowedTools "Bash(git *)" Edit` as people write it: further words that name a tool belong to the flag. A prompt
 * that is nothing but a tool's name has to stand before it.
 */
export const joinRules = (args: readonly string[]): readonly string[] => {
  const [first, ...rest] = args;
  if (first === undefined || first === '--') return args;
  if (!RULES.test(first)) return [first, ...joinRules(rest)];
  const more = rest.slice(1).findIndex((word) => !isRule(word));
  const count = more < 0 ? rest.length : more + 1;
  return rest.length === 0 ? args : [first, rest.slice(0, count).join(','), ...joinRules(rest.slice(count))];
};

const isRule = (word: string): boolean => {
  const [, name] = /^([A-Za-z_][\w-]*)(?:\(.*\))?$/s.exec(word) ?? [];
  return name !== undefined && (isBuiltinTool(name) || name.startsWith('mcp__'));
};
