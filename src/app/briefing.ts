/** What the model is told beside what is said: its system prompt, how a conversation opens, what is new, what `@` brings. */
import type { AgentDefinition } from '../contract/agent.ts';
import type { TextBlock } from '../contract/message.ts';
import { agentReminder } from '../lib/agent-mention.ts';
import { reminder } from '../lib/reminder.ts';
import type { LoopDeps } from '../loop/deps.ts';
import { type MentionDeps, mentioned, mentionsIn } from './expand-mentions.ts';
import { createNews, type Surroundings } from './facts.ts';
import { branchOf, isRepository } from './git-facts.ts';
import type { HookHouse } from './hook-house.ts';
import type { Instructions } from './instructions.ts';
import type { Library } from './library.ts';
import { openingBlocks, type SystemParts, systemBlocks } from './openings.ts';
import { renderMail } from './render-mail.ts';
import type { ServerWords } from './server-words.ts';
import type { World } from './world.ts';

export interface Briefing extends Pick<LoopDeps, 'opening' | 'news' | 'render'> {
  /** `who` talks: the main conversation may be an agent too. */
  system(definition: AgentDefinition | undefined, who?: 'main' | 'child'): readonly TextBlock[];
}

export interface BriefingDeps {
  readonly world: Pick<World, 'host'>;
  /** What flags and style say, for all agents. */
  parts(): SystemParts;
  readonly instructions: Instructions;
  readonly hooks: HookHouse['hooks'];
  readonly library: Library;
  readonly words: ServerWords;
  readonly mentions: MentionDeps;
}

export const createBriefing = (deps: BriefingDeps): Briefing => {
  const { instructions, hooks, library, words } = deps;
  const around: Surroundings = {
    platform: deps.world.host.platform,
    shell: 'bash',
    now: () => new Date(),
    branch: branchOf,
    isRepository,
  };
  const news = createNews(around);
  return {
    system: (definition, who) =>
      systemBlocks(
        deps.parts(),
        definition && {
          ...definition,
          prompt: [definition.prompt, ...library.preloaded(definition)].join('\n\n'),
        },
        who,
      ),
    async opening(state, reason, at) {
      news.opened(state);
      const files = await instructions.load(state, reason, hooks, at);
      return openingBlocks(state, around, files, [...(await library.listings(state)), ...words.all(state)]);
    },
    news: async (state, at) => [
      ...news.changed(state),
      ...(await instructions.touched(state, hooks, at)),
      ...(await library.news(state)),
      ...words.news(state),
    ],
    async render(mail, state, signal) {
      const content = renderMail(mail);
      if (mail.origin.kind !== 'person') return { content, effects: [] };
      const names = mail.mentions ?? mentionsIn(mail.text);
      if (names.length > 0) await library.upToDate();
      const called = agentReminder(
        names.map((name) => (/\s/.test(name) ? `@"${name}"` : `@${name}`)).join(' '),
        library.agents().map((agent) => agent.name),
      );
      const brought = await mentioned(names, state, deps.mentions, signal);
      return {
        content: [...content, ...brought.blocks, ...(called === undefined ? [] : [reminder(called)])],
        effects: brought.effects,
      };
    },
  };
};
