import { join } from 'node:path';

/** How the tests' own tool server is configured: `options` are those of `tool-server.ts`. */
export const toolServer = (options: Readonly<Record<string, unknown>> = {}) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'tool-server.ts'), JSON.stringify(options)],
});

/** The text of an `.mcp.json`, or of `--mcp-config`. */
export const serversText = (servers: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ mcpServers: servers });
