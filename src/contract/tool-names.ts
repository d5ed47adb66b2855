/**
 * The one table of tool names. Canonical names are the spec's own; the short name is shown on screen
 * and, like the aliases, accepted wherever a tool is named: calls, matchers, `if`, rules, agent `tools`.
 */
const table: readonly (readonly [canonical: string, short: string, ...aliases: string[]])[] = [
  ['Bash', 'Bash'],
  ['Read', 'Read', 'NotebookRead'],
  ['Write', 'Write'],
  ['Edit', 'Edit', 'MultiEdit'],
  ['NotebookEdit', 'NotebookEdit'],
  ['Glob', 'Glob', 'LS'],
  ['Grep', 'Grep'],
  ['WebFetch', 'WebFetch'],
  ['WebSearch', 'WebSearch'],
  ['AskUserQuestion', 'AskUserQuestion', 'AskUserQuestionTool'],
  ['AgentTool', 'Agent', 'Task'],
  ['SkillTool', 'Skill', 'SlashCommand'],
  ['TaskCreateTool', 'TaskCreate', 'TodoWrite'],
  ['TaskUpdateTool', 'TaskUpdate'],
  ['TaskGetTool', 'TaskGet'],
  ['TaskListTool', 'TaskList'],
  ['TaskStopTool', 'TaskStop', 'KillShell', 'KillBash'],
  ['TaskOutputTool', 'TaskOutput', 'BashOutput', 'AgentOutput', 'AgentOutputTool', 'BashOutputTool'],
  ['SendMessageTool', 'SendMessage'],
  ['TeamCreateTool', 'TeamCreate'],
  ['TeamDeleteTool', 'TeamDelete'],
  ['EnterPlanModeTool', 'EnterPlanMode'],
  ['ExitPlanModeTool', 'ExitPlanMode'],
  ['EnterWorktreeTool', 'EnterWorktree'],
  ['ExitWorktreeTool', 'ExitWorktree'],
  ['ListMcpResourcesTool', 'ListMcpResources'],
  ['ReadMcpResourceTool', 'ReadMcpResource'],
];

/** The task tools that the old list tool stands for in `tools` lists, matchers and rules (ruling 15). */
export const todoTools: readonly string[] = [
  'TaskCreateTool',
  'TaskUpdateTool',
  'TaskGetTool',
  'TaskListTool',
];

const canonicalBySpelling: ReadonlyMap<string, string> = new Map(
  table.flatMap(([canonical, ...spellings]) =>
    [canonical, ...spellings].map((spelling): [string, string] => [spelling, canonical]),
  ),
);

const shortByCanonical: ReadonlyMap<string, string> = new Map(
  table.map(([canonical, short]): [string, string] => [canonical, short]),
);

const spellingsByCanonical: ReadonlyMap<string, readonly string[]> = new Map(
  table.map(([canonical, ...spellings]): [string, readonly string[]] => [
    canonical,
    [...new Set([canonical, ...spellings])],
  ]),
);

/** Canonical names of every built-in tool. */
export const builtinToolNames: readonly string[] = table.map(([canonical]) => canonical);

/** `Agent`, `Task` and `AgentTool` are all `AgentTool`; a name not in the table (a server's tool) stays itself. */
export const canonicalName = (name: string): string => canonicalBySpelling.get(name) ?? name;

/** What the screen and hooks from foreign homes see: `AgentTool` is `Agent`. */
export const shortName = (name: string): string => {
  const canonical = canonicalName(name);
  return shortByCanonical.get(canonical) ?? canonical;
};

/** Every spelling of a tool, canonical first: what matchers and `if` filters are tried against. */
export const spellingsOf = (name: string): readonly string[] => {
  const canonical = canonicalName(name);
  return spellingsByCanonical.get(canonical) ?? [canonical];
};

/** True for the tools of this table; a tool of a server is none of them. */
export const isBuiltinTool = (name: string): boolean => canonicalBySpelling.has(name);
