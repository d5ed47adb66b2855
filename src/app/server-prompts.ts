/** Prompts of tool servers, called like skills: `/mcp__server__prompt a "b c"`. */
import type { PromptSource } from '../catalog/skill-set.ts';
import type { SkillInfo } from '../contract/skill.ts';
import { safeText } from '../lib/safe-text.ts';
import { safeName, safeServer } from '../servers/names.ts';
import type { ServerPrompts } from '../servers/servers.ts';

/** Words of a line, quotes kept together. */
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');

export const serverPrompts = (servers: () => ServerPrompts): PromptSource => {
  const all = () =>
    servers()
      .prompts()
      .map(({ server, prompt }) => ({
        server,
        prompt,
        slash: `mcp__${safeServer(server)}__${safeName(prompt.name)}`,
      }));
  return {
    list: () =>
      all().map(
        ({ server, prompt, slash }): SkillInfo => ({
          slash,
          aliases: [],
          name: prompt.name,
          kind: 'prompt',
          description: safeText(prompt.description ?? prompt.name),
          ...(prompt.arguments?.length
            ? {
                argumentHint: prompt.arguments
                  .map((one) => (one.required ? `<${one.name}>` : `[${one.name}]`))
                  .join(' '),
              }
            : {}),
          source: server,
          path: '',
          bytes: 0,
          forModel: 'listed',
          forPerson: true,
          allowedTools: [],
          disallowedTools: [],
          paths: [],
        }),
      ),
    async render(skill, args, { signal }) {
      const found = all().find((one) => one.slash === skill.slash);
      if (!found) return { refused: `The prompt ${skill.slash} is gone.` };
      const words = wordsOf(args);
      const names = found.prompt.arguments ?? [];
      const missing = names.find((one, at) => one.required && words[at] === undefined);
      if (missing)
        return {
          refused: `/${skill.slash} needs ${missing.name}. Usage: /${skill.slash} ${skill.argumentHint ?? ''}`,
        };
      const given = Object.fromEntries(
        names.flatMap((one, at) =>
          words[at] === undefined
            ? []
            : [[one.name, at === names.length - 1 ? words.slice(at).join(' ') : (words[at] ?? '')]],
        ),
      );
      const answer = await servers().prompt(found.server, found.prompt.name, given, signal);
      return 'refused' in answer ? answer : { text: answer.text, attached: [], allowedTools: [] };
    },
  };
};
