import type { SpawnRequest } from './agent.ts';
import type { DefinitionKind } from './catalog.ts';
import type { HookSource } from './hook.ts';
import type { UserBlock } from './message.ts';
import type { Effort } from './model.ts';
import type { SessionState } from './state.ts';

/** A skill, a command file or a prompt of a tool server, ready to be called. */
export interface SkillInfo {
  /** What is typed and what SkillTool takes. */
  readonly slash: string;
  /** Further names it answers to. */
  readonly aliases: readonly string[];
  readonly name: string;
  readonly kind: Exclude<DefinitionKind, 'agent'> | 'prompt';
  /** For the listing: description and `when_to_use`. */
  readonly description: string;
  readonly argumentHint?: string;
  /** builtin, user, project, plugin, flag, managed, or the server's name. */
  readonly source: string;
  readonly path: string;
  /** Size of the file; 0 for prompts. */
  readonly bytes: number;
  /** Whether the model may call it, and whether it is told what it does. */
  readonly forModel: 'listed' | 'name only' | 'hidden';
  readonly forPerson: boolean;
  /** Allow rules for the turn. */
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly model?: string;
  readonly effort?: Effort;
  /** Runs in a sub-agent of this type (`context: fork`). */
  readonly fork?: { readonly agent: string; readonly background: boolean };
  /** Globs of files it is about; empty: always. */
  readonly paths: readonly string[];
  /** Hooks from its invocation to the end of the session. */
  readonly hooks?: HookSource;
}

export interface RenderedSkill {
  /** The prompt, with everything put in. */
  readonly text: string;
  /** What `@files` of the body brought. */
  readonly attached: readonly UserBlock[];
  readonly allowedTools: readonly string[];
}

/** A forked skill as an agent to spawn: the text it was rendered to is all that the agent knows. */
export const forkRequest = (
  skill: SkillInfo,
  { text, attached, allowedTools }: RenderedSkill,
  model: string | undefined,
): Pick<SpawnRequest, 'prompt' | 'label' | 'type' | 'background' | 'model' | 'skill'> => ({
  prompt: [text, ...attached.flatMap((block) => (block.type === 'text' ? [block.text] : []))].join('\n\n'),
  label: `skill ${skill.slash}`,
  type: skill.fork?.agent ?? 'general-purpose',
  background: skill.fork?.background ?? false,
  ...(model === undefined ? {} : { model }),
  skill: {
    name: skill.slash,
    path: skill.path,
    allow: allowedTools,
    deny: skill.disallowedTools,
    ...(skill.effort ? { effort: skill.effort } : {}),
  },
});

export interface SkillPlace {
  readonly state: SessionState;
  readonly signal: AbortSignal;
}

/** All skills known now. */
export interface Skills {
  /** Those that can be called, by name. */
  list(): readonly SkillInfo[];
  /** Leading slashes are stripped, capitals do not matter. */
  find(name: string): SkillInfo | undefined;
  /** Names near an unknown one, at most three. */
  nearest(name: string): readonly string[];
  /** Fills in arguments, runs its inline commands, attaches files. A refusal is a sentence. */
  render(
    skill: SkillInfo,
    args: string,
    at: SkillPlace,
  ): Promise<RenderedSkill | { readonly refused: string }>;
}
