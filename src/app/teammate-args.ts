/** The command line of a teammate's process: it sees what its lead sees, and may do no more (ruling 31). */
import type { ProcessOpening } from '../agents/host-deps.ts';
import type { Flags } from './flags.ts';

const one = (flag: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [flag, value];
const each = (flag: string, values: readonly string[] | undefined): readonly string[] =>
  (values ?? []).flatMap((value) => [flag, value]);
const bare = (flag: string, on: boolean | undefined): readonly string[] => (on ? [flag] : []);

export const teammateArgs = (
  who: string,
  flags: Flags,
  /** Fingerprint of what its lead trusts for this run alone; what is on record it finds there. */
  trustAs: string | undefined,
  { mode, effort, directories }: ProcessOpening,
): readonly string[] => [
  ...['--teammate', who, '--permission-mode', mode],
  ...one('--effort', effort),
  ...each('--add-dir', directories),
  ...one('--settings', flags.settings),
  ...one('--setting-sources', flags.settingSources),
  ...each('--allowedTools', flags.allowedTools),
  ...each('--disallowedTools', flags.disallowedTools),
  ...each('--tools', flags.tools),
  ...one('--agents', flags.agents),
  ...each('--mcp-config', flags.mcpConfig),
  ...bare('--strict-mcp-config', flags.strictMcpConfig),
  ...each('--plugin-dir', flags.pluginDir),
  ...one('--fallback-model', flags.fallbackModel),
  ...one('--trust-as', trustAs),
  ...bare('--practice', flags.practice),
];
