import type { SlashCommand } from '../contract/command.ts';
import type { Servers } from '../contract/server.ts';
import { refused, table, text } from './answer.ts';

/** `/mcp [reconnect NAME | NAME]`: tool servers, their state, tools and logs. */
export const mcpCommand = (
  servers: () => Servers | undefined,
  problems: () => readonly string[],
): SlashCommand => ({
  name: 'mcp',
  description: 'Tool servers: state, tools, logs, reconnect',
  argumentHint: '[reconnect] [server]',
  source: 'builtin',
  instant: true,
  async run(args) {
    const all = servers()?.states() ?? [];
    const wrong = problems().length > 0 ? `\n\n${problems().join('\n')}` : '';
    const [first = '', second = ''] = args.trim().split(/\s+/);
    if (first === 'reconnect') {
      if (second === '') return refused('Name a server: /mcp reconnect NAME.');
      const error = await servers()?.reconnect(second);
      return error ? refused(`${second}: ${error}`) : text(`${second} is connected.`);
    }
    if (first !== '') {
      const one = all.find((state) => state.name === first);
      if (!one)
        return refused(
          `There is no server named "${first}". The servers are: ${all.map((state) => state.name).join(', ') || 'none'}.`,
        );
      const log =
        one.log.length > 0 ? `\n\nLast it said:\n\n\`\`\`\n${one.log.slice(-20).join('\n')}\n\`\`\`` : '';
      return text(
        `## ${one.name}\n\n${table(
          ['', ''],
          [
            ['state', one.error ? `${one.status}: ${one.error}` : one.status],
            ['runs', `\`${one.target}\``],
            ['from', `${one.source} (${one.scope})`],
            ['tools', one.tools.join(', ') || 'none'],
            ['prompts', one.prompts.join(', ') || 'none'],
            ['resources', String(one.resources)],
          ],
        )}${log}`,
      );
    }
    if (all.length === 0)
      return text(
        `No tool servers are configured. \`coppice mcp add NAME -- COMMAND\` adds one; \`.mcp.json\` of a trusted project is read.${wrong}`,
      );
    return text(
      `${table(
        ['server', 'state', 'tools', 'prompts', 'from'],
        all.map((one) => [
          one.name,
          one.error ? `${one.status}: ${one.error}` : one.status,
          String(one.tools.length),
          String(one.prompts.length),
          one.scope,
        ]),
      )}\n\n\`/mcp NAME\` shows one, \`/mcp reconnect NAME\` starts it again.${wrong}`,
    );
  },
});
