import * as z from 'zod';
import type { Servers } from '../contract/server.ts';
import type { Tool } from '../contract/tool.ts';
import { defineTool } from './define.ts';

/** ListMcpResourcesTool: what tool servers hold. */
export const listResourcesTool = (servers: () => Servers): Tool =>
  defineTool({
    name: 'ListMcpResourcesTool',
    description: 'Lists resources that connected tool servers hold, of one server or of all.',
    input: z.object({ server: z.string().optional() }),
    call: ({ server }) => ({
      input: { ...(server ? { server } : {}) },
      subject: server ?? 'all servers',
      readOnly: true,
      parallel: true,
      async run() {
        const found = servers()
          .resources()
          .filter((one) => server === undefined || one.server === server);
        return { status: 'ok', text: JSON.stringify(found), response: found };
      },
    }),
  });

/** ReadMcpResourceTool: one resource by its address. */
export const readResourceTool = (servers: () => Servers): Tool =>
  defineTool({
    name: 'ReadMcpResourceTool',
    description: 'Reads one resource of a tool server by its address (uri).',
    input: z.object({ server: z.string(), uri: z.string() }),
    call: ({ server, uri }) => ({
      input: { server, uri },
      subject: `${server}:${uri}`,
      readOnly: true,
      parallel: true,
      async run({ signal }) {
        const answer = await servers().readResource(server, uri, signal);
        if ('refused' in answer) return { status: 'error', text: answer.refused };
        const { text, blocks } = answer;
        return {
          status: 'ok',
          text,
          ...(blocks ? { blocks } : {}),
          response: { contents: [{ uri, text }] },
        };
      },
    }),
  });
