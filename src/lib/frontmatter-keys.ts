/**
 * Keys that definition files really carry. A block that is no strict YAML is cut at these alone: examples and dialogue
 * inside a description hold lines that look like keys.
 */
export const knownKeys: ReadonlySet<string> = new Set(
  `name description when_to_use when-to-use whenToUse argument-hint argument_hint argumentHint arguments
  allowed-tools allowed_tools allowedTools disallowed-tools disallowed_tools disallowedTools tools
  disable-model-invocation disable_model_invocation user-invocable user_invocable userInvocable
  hide-from-slash-command-tool model effort context agent agents subtask background hooks paths globs alwaysApply shell
  permissionMode permission-mode permission_mode maxTurns max-turns max_turns skills mcpServers mcp-servers mcp_servers
  memory isolation color initialPrompt run_mode
  version license author origin metadata source tags dependencies risk date_added date category level triggers type
  compatibility homepage repository command commands aliases keywords priority requires capabilities shortcut personas
  complexity usage examples title status temperature scope inclusion pipeline handoff provides
  keep-coding-instructions`
    .split(/\s+/)
    .filter((key) => key !== ''),
);

/** Keys whose value is text for a reader: never a list, a map or a comment. */
export const proseKeys: ReadonlySet<string> = new Set([
  'description',
  'when_to_use',
  'when-to-use',
  'whenToUse',
  'argument-hint',
  'argument_hint',
  'argumentHint',
  'name',
  'title',
  'usage',
  'initialPrompt',
]);

/** Keys under which only nested YAML makes sense; read as text they would mean something else. */
export const nestedKeys: ReadonlySet<string> = new Set([
  'hooks',
  'mcpServers',
  'mcp-servers',
  'mcp_servers',
  'metadata',
]);

/** Keys whose text may run on over many lines, with lines in it that look like keys. */
export const runningKeys: ReadonlySet<string> = new Set(
  [...proseKeys].filter((key) => key !== 'name' && key !== 'title'),
);

const dialogue = /^(user|assistant|human|context|example|examples|commentary|scenario|question|answer|q|a)$/i;

/** A line with a colon that is far likelier somebody's text than a key. */
export const isUnlikelyKey = (key: string): boolean =>
  !knownKeys.has(key) && (/[^\w.$/@-]/.test(key) || dialogue.test(key));
