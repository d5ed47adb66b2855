/** Every skill and command file as a slash command. */
import type { AgentHandle, Agents } from '../contract/agent.ts';
import type { CommandPlace, CommandResult, SlashCommand } from '../contract/command.ts';
import type { Errand } from '../contract/session.ts';
import { forkRequest, type RenderedSkill, type SkillInfo, type Skills } from '../contract/skill.ts';
import type { SessionState } from '../contract/state.ts';
import { refused } from './answer.ts';

export interface SkillCommandDeps {
  skills(): Skills;
  agents(): Agents;
  /** The id a model name of a skill stands for; undefined when it is not known. */
  modelId(name: string, state: SessionState): string | undefined;
}

const wordsOf = ({ text, attached }: RenderedSkill): string =>
  [text, ...attached.flatMap((block) => (block.type === 'text' ? [block.text] : []))].join('\n\n');

/** What a forked skill found, for the model to pass on. */
const result = (skill: SkillInfo, text: string): string =>
  `The user ran the skill /${skill.slash}; it ran in an agent of its own and ended with this result:\n\n${text}\n\nTell the user what matters of it. Do not do the work again.`;

const inBackground = (skill: SkillInfo, { output }: AgentHandle): CommandResult => ({
  kind: 'text',
  text: `Launching skill: ${skill.slash}. It runs in the background; its result will be in \`${output}\`.`,
});

const fork = async (
  deps: SkillCommandDeps,
  skill: SkillInfo,
  wish: ReturnType<typeof forkRequest>,
  display: string,
  { session, screen }: CommandPlace,
  { signal, letGo }: Errand,
): Promise<CommandResult> => {
  const handle = await deps.agents().spawn({ ...wish, parent: session.state(), signal });
  if ('refused' in handle)
    return refused(`The skill ${skill.slash} could not be started in an agent: ${handle.refused}`);
  if (wish.background) return inBackground(skill, handle);
  screen.print(`Launching skill: ${skill.slash}`);
  const first = await Promise.race([handle.result, letGo]);
  if (!first && (await handle.toBackground())) return inBackground(skill, handle);
  const ended = first ?? (await handle.result);
  return ended.status === 'done'
    ? { kind: 'prompt', text: result(skill, ended.text), display }
    : refused(
        `The skill ${skill.slash} ${ended.status === 'failed' ? 'failed' : 'was stopped'}: ${ended.text}`,
      );
};

const run = async (
  deps: SkillCommandDeps,
  skill: SkillInfo,
  args: string,
  place: CommandPlace,
  errand: Errand,
): Promise<CommandResult> => {
  const { session } = place;
  const state = session.state();
  const rendered = await deps.skills().render(skill, args, { state, signal: errand.signal });
  if (errand.signal.aborted) return refused(`The skill ${skill.slash} was stopped.`);
  if ('refused' in rendered) return refused(rendered.refused);
  const display = `/${skill.slash} ${args}`.trim();
  const model = skill.model === undefined ? undefined : deps.modelId(skill.model, state);
  if (skill.fork) return fork(deps, skill, forkRequest(skill, rendered, model), display, place, errand);
  const text = wordsOf(rendered);
  await session.record({
    type: 'skill',
    name: skill.slash,
    path: skill.path,
    text,
    allow: rendered.allowedTools,
    ...(skill.disallowedTools.length > 0 ? { deny: skill.disallowedTools } : {}),
    ...(model ? { model } : {}),
    ...(skill.effort ? { effort: skill.effort } : {}),
    ahead: true,
  });
  return { kind: 'prompt', text, display };
};

/** Those a person may type, as they are now. */
export const skillCommands = (deps: SkillCommandDeps): readonly SlashCommand[] =>
  deps
    .skills()
    .list()
    .filter((skill) => skill.forPerson)
    .map((skill) => ({
      name: skill.slash,
      ...(skill.aliases.length > 0 ? { aliases: skill.aliases } : {}),
      description: skill.description,
      ...(skill.argumentHint ? { argumentHint: skill.argumentHint } : {}),
      source: skill.source,
      run: (args, place) => place.session.errand((errand) => run(deps, skill, args.trim(), place, errand)),
    }));
