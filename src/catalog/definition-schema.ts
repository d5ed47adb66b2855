/** What `skills list --json` and `agents list --json` print (rulings 50, 54). */
import * as z from 'zod';
import type { Definition } from '../contract/catalog.ts';

const definitionSchema = z.object({
  name: z.string().describe("As the file says, else the folder's or the file's name"),
  kind: z.enum(['skill', 'command', 'agent']),
  description: z.string().describe('Whole; empty when the file has none'),
  path: z.string().describe('Absolute; --agents for agents of the command line'),
  source: z.enum(['builtin', 'user', 'project', 'plugin', 'flag', 'managed']),
  fields: z
    .record(z.string(), z.unknown())
    .describe('Frontmatter with keys as written; lists split into arrays'),
  repairs: z.array(z.string()).describe('What was not well-formed and how it was read'),
  problems: z.array(z.string()).describe('What is wrong and does not count'),
  slash: z.string().describe('What is typed after / or after @agent-'),
  shadowedBy: z.string().optional().describe('Path of the definition that is used instead'),
}) satisfies z.ZodType<Definition>;

export const definitionsSchema = z.array(definitionSchema);
