/** Definitions that people keep in files: skills, commands, agents (ruling 54). */

export type DefinitionKind = 'skill' | 'command' | 'agent';
export type DefinitionSource = 'builtin' | 'user' | 'project' | 'plugin' | 'flag' | 'managed';

/** One definition as `coppice skills list --json` and `agents list --json` print it. */
export interface Definition {
  /** As the file says, else the folder's or the file's. */
  readonly name: string;
  readonly kind: DefinitionKind;
  readonly description: string;
  readonly path: string;
  readonly source: DefinitionSource;
  /** Frontmatter with keys and names as written; lists split, null absent, `*` meaning all, `[]` none. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What was not well-formed and how it was read. */
  readonly repairs: readonly string[];
  /** What is wrong and does not count. */
  readonly problems: readonly string[];
  /** What is typed after `/` (agents: after `@agent-`). */
  readonly slash: string;
  /** Path of the definition that is used instead. */
  readonly shadowedBy?: string;
}
