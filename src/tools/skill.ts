import * as z from 'zod';
import type { Agents } from '../contract/agent.ts';
import type { TextBlock } from '../contract/message.ts';
import { forkRequest, type RenderedSkill, type SkillInfo, type Skills } from '../contract/skill.ts';
import type { SessionState } from '../contract/state.ts';
import type { Tool, ToolContext, ToolOutcome } from '../contract/tool.ts';
import { canonicalName } from '../contract/tool-names.ts';
import { awayText, type Ended, footer, runAgent, statusOf } from './agent-run.ts';
import { defineTool } from './define.ts';
import description from './skill.md';

export interface SkillToolDeps {
  skills(): Skills;
  agents(): Agents;
  /** The id a model name of a skill stands for; undefined when it is not known. */
  modelId(name: string, state: SessionState): string | undefined;
}

/** So often may one skill be called with the same arguments before somebody is told to stop. */
const MOST_REPEATS = 4;

/** Calls of this very skill since somebody last asked for something. */
const repeats = (state: SessionState, slash: string, args: string): number =>
  state.messages
    .slice(state.messages.findLastIndex((message) => message.content === state.prompt) + 1)
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .filter((block) => {
      if (block.type !== 'tool_use' || canonicalName(String(block.name)) !== 'SkillTool') return false;
      const input = z.object({ skill: z.string(), args: z.string().optional() }).safeParse(block.input);
      return (
        input.success && input.data.skill.replace(/^\/+/, '') === slash && (input.data.args ?? '') === args
      );
    }).length;

const isLoaded = (state: SessionState, slash: string, text: string): boolean =>
  state.skills?.some((one) => one.name === slash && one.text === text) === true &&
  state.messages.some(
    (message) =>
      message.role === 'user' &&
      message.content.some((block) => block.type === 'text' && block.text === text),
  );

const launching = (skill: SkillInfo): string => `Launching skill: ${skill.slash}`;

/** The skill's text enters this conversation; what it allows holds until the person speaks again. */
const inline = (
  skill: SkillInfo,
  rendered: RenderedSkill,
  state: SessionState,
  model: string | undefined,
): ToolOutcome => {
  const { text, attached, allowedTools } = rendered;
  const response = {
    success: true,
    commandName: skill.slash,
    ...(allowedTools.length > 0 ? { allowedTools } : {}),
    ...(model ? { model } : {}),
  };
  const entry = {
    type: 'skill' as const,
    name: skill.slash,
    path: skill.path,
    text,
    allow: allowedTools,
    ...(skill.disallowedTools.length > 0 ? { deny: skill.disallowedTools } : {}),
    ...(model ? { model } : {}),
    ...(skill.effort ? { effort: skill.effort } : {}),
  };
  if (isLoaded(state, skill.slash, text))
    return {
      status: 'ok',
      text: `${launching(skill)}\nIts text is in this conversation already; follow it again.`,
      display: { kind: 'text', summary: launching(skill), body: '' },
      response,
      effects: [entry],
    };
  const body: TextBlock = { type: 'text', text };
  return {
    status: 'ok',
    text: launching(skill),
    display: { kind: 'text', summary: launching(skill), body: text },
    response,
    effects: [
      entry,
      {
        type: 'user',
        meta: true,
        origin: { kind: 'system', about: `skill ${skill.slash}` },
        content: [body, ...attached],
      },
    ],
  };
};

const forked = (skill: SkillInfo, ended: Ended): ToolOutcome => {
  const base = { success: true, commandName: skill.slash, status: 'forked' };
  switch (ended.kind) {
    case 'refused':
      return {
        status: 'error',
        text: `The skill ${skill.slash} could not be started in an agent: ${ended.text}`,
      };
    case 'away':
      return {
        status: 'ok',
        text: `${launching(skill)}\n${awayText(ended.handle)}`,
        display: {
          kind: 'text',
          summary: `${launching(skill)} · in the background`,
          body: ended.handle.output,
        },
        response: { ...base, agentId: ended.handle.id, outputFile: ended.handle.output },
      };
    case 'done':
      return {
        status: statusOf(ended.result),
        text: `${ended.result.text}\n\n${footer(ended.handle, ended.result)}`,
        display: { kind: 'markdown', summary: launching(skill), body: ended.result.text },
        response: {
          ...base,
          success: ended.result.status === 'done',
          agentId: ended.handle.id,
          result: ended.result.text,
        },
      };
  }
};

const run = async (
  deps: SkillToolDeps,
  skill: SkillInfo,
  args: string,
  ctx: ToolContext,
): Promise<ToolOutcome> => {
  if (repeats(ctx.session, skill.slash, args) > MOST_REPEATS)
    return {
      status: 'error',
      text: `The skill ${skill.slash} was called ${MOST_REPEATS} times with the same arguments for one request; its text is above. Follow it, or tell the user why it does not help.`,
    };
  ctx.progress(launching(skill));
  const rendered = await deps.skills().render(skill, args, { state: ctx.session, signal: ctx.signal });
  if ('refused' in rendered) return { status: 'error', text: rendered.refused };
  const model = skill.model === undefined ? undefined : deps.modelId(skill.model, ctx.session);
  if (!skill.fork) return inline(skill, rendered, ctx.session, model);
  return forked(skill, await runAgent(deps.agents(), forkRequest(skill, rendered, model), ctx));
};

/** Runs skills, commands and prompts of tool servers (spec 4.2). */
export const skillTool = (deps: SkillToolDeps): Tool =>
  defineTool({
    name: 'SkillTool',
    description,
    input: z.object({
      skill: z.string().describe('Name of the skill; leading slashes do not matter'),
      args: z.string().optional().describe('Arguments, as the skill wants them'),
    }),
    renamed: { name: 'skill', command: 'skill', skill_name: 'skill', arguments: 'args' },
    call: (wish) => {
      const bare = wish.skill.trim().replace(/^\/+/, '').trim();
      if (bare === '') return { invalid: 'skill is empty. Give the name of a skill.' };
      const skills = deps.skills();
      // People and models write the whole line into one parameter: `/commit -m fix`.
      const [first = bare, ...rest] = bare.split(/\s+/);
      const whole = skills.find(bare);
      const skill = whole ?? skills.find(first);
      if (!skill) {
        const near = skills.nearest(bare);
        return {
          invalid: `There is no skill "${bare}".${near.length > 0 ? ` The nearest are: ${near.join(', ')}.` : ''} ${countText(skills)}`,
        };
      }
      if (skill.forModel === 'hidden')
        return {
          invalid: `The skill ${skill.slash} may only be started by the user. If it fits, ask them to type /${skill.slash}.`,
        };
      const args = [...(whole ? [] : rest), ...(wish.args === undefined ? [] : [wish.args])].join(' ');
      return {
        input: { skill: skill.slash, ...(args === '' ? {} : { args }) },
        subject: args === '' ? skill.slash : `${skill.slash} ${args}`,
        readOnly: false,
        parallel: skill.fork !== undefined,
        run: (ctx) => run(deps, skill, args, ctx),
      };
    },
  });

const countText = (skills: Skills): string => {
  const names = skills
    .list()
    .filter((skill) => skill.forModel !== 'hidden')
    .map((skill) => skill.slash);
  if (names.length === 0) return 'No skills are installed.';
  return names.length <= 40
    ? `The skills are: ${names.join(', ')}.`
    : `${names.length} skills are installed; the listing names them.`;
};
