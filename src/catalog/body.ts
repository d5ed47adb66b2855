import { dirname } from 'node:path';
import { decode } from '../lib/decode-text.ts';
import { readFrontmatter } from '../lib/frontmatter.ts';
import { readRegularSync } from '../lib/regular-file.ts';
import { fill } from './arguments.ts';
import type { Found } from './definition.ts';

/** The text below the frontmatter, read when it is used. Throws when the file is gone. */
export const bodyOf = (found: Found): string => {
  const prompt = found.fields.prompt;
  if (found.source === 'flag') return typeof prompt === 'string' ? prompt : '';
  return readFrontmatter(decode(readRegularSync(found.real), true).text).body.trim();
};

/** A skill that an agent begins with: nobody gave arguments, and it knows where its files lie. */
export const beginsWith = (found: Found, project: string): string => {
  const folder = dirname(found.path);
  const { plugin } = found.place;
  const variables = {
    SKILL_DIR: folder,
    PROJECT_DIR: project,
    ...(plugin ? { PLUGIN_ROOT: plugin.root } : {}),
  };
  const { text } = fill(bodyOf(found), { args: '', names: [], variables });
  const where = found.kind === 'skill' ? ` (its files are in ${folder})` : '';
  return `The skill ${found.slash}${where}:\n\n${text}`;
};
