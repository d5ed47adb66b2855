/** Skills of files and prompts of tool servers under one roof. */
import type { RenderedSkill, SkillInfo, SkillPlace, Skills } from '../contract/skill.ts';
import { errorText } from '../lib/error-text.ts';
import { nearNames } from '../lib/near-names.ts';
import { bodyOf } from './body.ts';
import type { Catalog } from './catalog.ts';
import type { Found } from './definition.ts';
import { pickList, pickText } from './fields.ts';
import { type RenderPorts, render } from './render.ts';
import { slug } from './slug.ts';
import { type Executables, mayExecute } from './to-agent.ts';

/** Prompts that come from elsewhere and are called like skills. */
export interface PromptSource {
  list(): readonly SkillInfo[];
  render(
    skill: SkillInfo,
    args: string,
    at: SkillPlace,
  ): Promise<RenderedSkill | { readonly refused: string }>;
}

export interface SkillSetDeps extends RenderPorts {
  readonly catalog: Catalog;
  /** Whether the commands of this file of a project or a plugin may run. */
  readonly trusted: Executables['trusted'];
  readonly prompts?: PromptSource;
}

const readBody = (found: Found): string | { readonly refused: string } => {
  try {
    return bodyOf(found);
  } catch (error) {
    return {
      refused: `${found.path} could not be read: ${errorText(error)}`,
    };
  }
};

const argumentNames = (found: Found): readonly string[] => {
  const text = pickText(found.fields, 'arguments');
  return text === undefined ? (pickList(found.fields, 'arguments') ?? []) : text.split(/[\s,]+/);
};

export const createSkills = (deps: SkillSetDeps): Skills => {
  const { catalog, prompts } = deps;
  const list = (): readonly SkillInfo[] => [...catalog.skills(), ...(prompts?.list() ?? [])];

  const find = (wish: string): SkillInfo | undefined => {
    const name = wish.trim().replace(/^\/+/, '').trim();
    const small = slug(name);
    const all = list();
    const exact = all.find((one) => one.slash === name) ?? all.find((one) => one.slash === small);
    if (exact || small === '') return exact;
    const byAlias = all.find((one) => one.aliases.includes(small)) ?? all.find((one) => one.name === name);
    if (byAlias) return byAlias;
    const ends = all.filter((one) => one.slash.endsWith(`:${small}`));
    return ends.length === 1 ? ends[0] : undefined;
  };

  return {
    list,
    find,
    nearest: (name) =>
      nearNames(
        name.replace(/^\/+/, ''),
        list().map((one) => one.slash),
      ),
    async render(skill, args, at) {
      if (skill.kind === 'prompt')
        return prompts?.render(skill, args, at) ?? { refused: `The server of ${skill.slash} is gone.` };
      const found = catalog.found('skill', skill.slash);
      if (!found) return { refused: `The skill ${skill.slash} is gone; its file was ${skill.path}.` };
      const body = readBody(found);
      if (typeof body !== 'string') return body;
      const { plugin } = found.place;
      const what = {
        skill,
        body,
        trusted: mayExecute(found, deps),
        argumentNames: argumentNames(found),
        ...(plugin ? { plugin } : {}),
      };
      return render(what, args, at, deps);
    },
  };
};
