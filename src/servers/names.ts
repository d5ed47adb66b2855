import { createHash } from 'node:crypto';

/** As long as the service lets a tool's name be. */
const LONGEST = 128;

/** What a tool name cannot hold becomes `_`. */
export const safeName = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_');

/** A server's name inside tool names: `__` ends it there, so it holds none. */
export const safeServer = (name: string): string => safeName(name).replace(/_{2,}/g, '_');

const mark = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6);

/** `mcp__server__tool` for each tool. Names that would be too long, or the same as another's, end in a mark of their own. */
export const toolNames = (server: string, tools: readonly string[]): readonly string[] => {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const plain = `mcp__${safeServer(server)}__${safeName(tool)}`;
    const fits = plain.length <= LONGEST && !taken.has(plain);
    const name = fits ? plain : `${plain.slice(0, LONGEST - 7)}_${mark(tool)}`;
    taken.add(name);
    return name;
  });
};
