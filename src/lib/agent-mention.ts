/** `@agent-name` and `@"name (agent)"` in a message. */
const pattern = /(^|\s)@(?:agent-([\p{L}\p{N}_:.-]*[\p{L}\p{N}_])|"([^"\n]+?) \(agent\)")/gu;

/** Names that a message calls, each once and as the definitions spell them; unknown ones stay words. */
export const agentsNamed = (text: string, names: readonly string[]): readonly string[] => {
  const bySmall = new Map(names.map((name): [string, string] => [plain(name), name]));
  const found = [...text.matchAll(pattern)].flatMap(
    (match) => bySmall.get(plain(match[2] ?? match[3] ?? '')) ?? [],
  );
  return [...new Set(found)];
};

/** `Building CI/CD Pipelines` is typed `building-ci-cd-pipelines`. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_.:-]+/gu, '-')
    .replace(/^-+|-+$/g, '');

/** What the model is told beside such a message; undefined when it calls nobody. */
export const agentReminder = (text: string, names: readonly string[]): string | undefined => {
  const named = agentsNamed(text, names);
  if (named.length === 0) return undefined;
  const list = named.map((name) => `"${name}"`).join(' and ');
  return `The user asked for the agent ${list} by name. Start ${named.length === 1 ? 'it' : 'each of them'} with AgentTool (subagent_type) for what this message asks, and put everything it needs to know into its prompt.`;
};
