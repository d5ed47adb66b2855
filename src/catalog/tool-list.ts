/** Tool lists of agents as canonical names. */
import {
  builtinToolNames,
  canonicalName,
  isBuiltinTool,
  spellingsOf,
  todoTools,
} from '../contract/tool-names.ts';
import { type Fields, pickList } from './fields.ts';

export interface ToolList {
  /** Absent: all of the parent's. Empty: nothing was known of what was named, or nothing was named. */
  readonly tools?: readonly string[];
  readonly unknown: readonly string[];
}

const bySmallName: ReadonlyMap<string, string> = new Map(
  builtinToolNames.flatMap((name) =>
    spellingsOf(name).map((one): [string, string] => [one.toLowerCase(), name]),
  ),
);

/** `Bash(git *)` parted into name and brackets. */
const parted = (text: string): readonly [name: string, rest: string] => {
  const at = text.indexOf('(');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at).trim()];
};

const resolve = (text: string): readonly string[] => {
  const [name, rest] = parted(text);
  if (name === 'TodoWrite' || name === 'TodoRead') return todoTools;
  if (isBuiltinTool(name)) return [canonicalName(name) + rest];
  if (/^mcp__\w/.test(name)) return [name + rest];
  const small = bySmallName.get(name.toLowerCase());
  return small ? [small + rest] : [];
};

/** Names in any spelling become canonical; what nobody knows is told apart, never guessed. */
export const resolveTools = (names: readonly string[]): Required<ToolList> => {
  const found = names.map((name) => ({ name, tools: resolve(name) }));
  return {
    tools: [...new Set(found.flatMap((one) => one.tools))],
    unknown: found.flatMap((one) => (one.tools.length === 0 && one.name !== '*' ? [one.name] : [])),
  };
};

/** Of an agent: `tools`, or what its author wrote for it. A star among them means all. */
export const knownTools = (fields: Fields): ToolList => {
  const names = pickList(fields, 'tools', 'allowed-tools');
  if (names === undefined) return { unknown: [] };
  const { tools, unknown } = resolveTools(names);
  return names.includes('*') ? { unknown } : { tools, unknown };
};
